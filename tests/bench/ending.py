"""What it costs to look after the end of a held answer: CPU seconds a token with it and without, in turn.

    python tests/bench/ending.py MODEL.gguf [--rounds 5] [--max-tokens 200]

Both answer the same seeds, on one thread; their texts are the same as long as none of them repeats itself.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from statistics import median
from unittest.mock import patch

import msgspec

from serve.engine.local.core import Core
from serve.engine.local.guide import Guide
from serve.events import Event, Finished
from serve.prompt.toolprompt import ToolLimits
from serve.settings import EngineSettings
from serve.turns import AnswerFormat, GenerationRequest, Message, Mode, Role, Sampling

SCHEMA = {
    "type": "object",
    "properties": {
        "title": {"type": "string"},
        "parts": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "name": {"type": "string"},
                    "kind": {"enum": ["engine", "wheel", "door"]},
                    "weight": {"type": "number", "minimum": 0},
                    "notes": {"type": "array", "items": {"type": "string"}},
                },
                "required": ["name", "kind", "weight"],
            },
        },
    },
    "required": ["title", "parts"],
}


def measure(core: Core, max_tokens: int, seed: int) -> tuple[float, int]:
    """Return the CPU seconds of one answer, its prompt being cached, and its tokens."""
    schema = msgspec.Raw(msgspec.json.encode(SCHEMA))
    text = "List the parts of a car as JSON, each with a name, a kind, a weight and notes. Be complete."
    request = GenerationRequest(
        id="b",
        model="m",
        mode=Mode.GENERAL,
        messages=(Message(role=Role.USER, content=text),),
        sampling=Sampling(max_tokens=max_tokens, seed=seed),
        format=AnswerFormat(kind="json_schema", schema=schema),
    )
    events: list[Event] = []
    begun = time.process_time()
    core.generate(request, events.extend)
    spent = time.process_time() - begun
    last = events[-1]
    assert isinstance(last, Finished)
    return spent, last.usage.completion_tokens


def main(given: argparse.Namespace) -> None:
    """Print the median of both, over the same seeds."""
    core = Core(given.model, "m", EngineSettings(threads=1), ToolLimits(), None)
    measure(core, 8, 0)
    rates: dict[str, list[float]] = {"with": [], "without": []}
    for seed in range(given.rounds):
        for name, taken in rates.items():
            with patch.object(Guide, "_see_end", Guide._see_end if name == "with" else lambda *_: None):
                spent, tokens = measure(core, given.max_tokens, seed)
            taken.append(spent / tokens)
    core.close()
    cost = {name: median(taken) for name, taken in rates.items()}
    more = median(one / other for one, other in zip(rates["with"], rates["without"], strict=True)) - 1
    print(f"CPU ms a token: {cost['with'] * 1e3:.2f} with, {cost['without'] * 1e3:.2f} without; {more:+.1%}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--max-tokens", type=int, default=200)
    main(parser.parse_args())
