"""One server for the tests of a module, with answers for every occasion."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from serve.settings import ServeSettings
from tests.serving import DEADLINE_S, Live, live_server, scripted, service_of

REPLIES: list[dict[str, object]] = [
    {
        "when": {"contains": "weather", "role": "user"},
        "calls": [{"name": "get_weather", "arguments": ['{"city": ', '"Oslo"}'], "id": "call_1"}],
    },
    {"when": {"contains": "two calls"}, "text": "So.", "calls": [{"name": "get_weather"}, {"name": "get_weather"}]},
    {"when": {"contains": "fail at once"}, "fail": {"message": "The upstream said no.", "status": 502}},
    {"when": {"contains": "fail late"}, "text": ["a", "b"], "fail": {"message": "It broke.", "after": 1}},
    {"when": {"contains": "vanish"}, "text": ["a", "b"], "cut": 1},
    {"when": {"contains": "hang"}, "text": ["a", "b"], "piece_delay_ms": 3_600_000},
    {"when": {"contains": "long"}, "text": "Lon", "finish": "length"},
    {"when": {"contains": "think"}, "reasoning": "hmm", "text": "Yes."},
    {"when": {"role": "tool"}, "text": "It is 7 degrees."},
    {"when": {"contains": ""}, "text": ["Hello ", "world."]},
]


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    engine = scripted(tmp_path_factory.mktemp("script"), REPLIES)
    settings = ServeSettings(aliases={"other": "local-model"}, max_body_bytes=300_000)
    with live_server(service_of(engine, settings=settings), engine) as server:
        yield server


@pytest.fixture
def client(live: Live) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=live.url, timeout=DEADLINE_S, trust_env=False) as opened:
        yield opened
