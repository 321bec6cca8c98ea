"""What the wire tests share: circumstances of a request, events of an answer, captured requests."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from serve.settings import ServeSettings
from serve.turns import GenerationRequest, Message, Mode, Role, Sampling
from serve.wire.answer import Occasion
from serve.wire.arrival import Arrival

CLIENTS = Path(__file__).parents[2] / "fixtures" / "clients"


@pytest.fixture
def arrival() -> Arrival:
    return Arrival(id="r1", models=("local-model",), settings=ServeSettings(aliases={"gpt-6.2-sol": "local-model"}))


@pytest.fixture
def occasion() -> Callable[..., Occasion]:
    def make(*, mode: Mode = Mode.GENERAL, max_tokens: int | None = None, exposes: bool = False) -> Occasion:
        generation = GenerationRequest(
            id="r1",
            model="local-model",
            mode=mode,
            messages=(Message(role=Role.USER, content="Hi"),),
            sampling=Sampling(max_tokens=max_tokens),
        )
        return Occasion(
            generation=generation,
            created_at=1_700_000_000,
            base_url="http://127.0.0.1:8017",
            exposes_reasoning=exposes,
            version="1.2.3",
        )

    return make


@pytest.fixture(params=sorted(path.stem for path in CLIENTS.glob("codex-*.json")))
def captured(request: pytest.FixtureRequest) -> dict[str, object]:
    """Return a request as a real client sent it."""
    return json.loads((CLIENTS / f"{request.param}.json").read_text())


@pytest.fixture
def capture() -> Callable[[str], dict[str, object]]:
    return lambda name: json.loads((CLIENTS / f"{name}.json").read_text())
