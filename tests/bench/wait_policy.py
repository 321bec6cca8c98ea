"""How threads that wait passively and ones that spin do, on a quiet machine and beside other work.

    python tests/bench/wait_policy.py MODEL.gguf [--prompt-tokens 384] [--answer-tokens 48] [--threads N] [--busy N]

Each policy is a worker of its own, as `wait_policy` of [serve.engine] starts it. The other work is processes that
count, one for each core unless told otherwise. The best of two rounds counts. What "quiet" means is for whoever runs
it to see to: the load of the machine before each round is printed beside it.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from serve.engine.local import LocalEngine
from serve.engine.local.machine import physical_cores
from serve.events import Finished, Heartbeat, Text
from serve.settings import EngineSettings
from serve.turns import GenerationRequest, Message, Mode, Role, Sampling

FILLER = "The quick brown fox jumps over the lazy dog while the sun sets behind the hills. "
ROUNDS = 2


@contextmanager
def busy(count: int) -> Generator[None]:
    """Keep `count` processes counting while the block runs."""
    counting = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for process in counting:
            process.kill()
            process.wait()


async def speeds(engine: LocalEngine, number: int, prompt_tokens: int, answer_tokens: int) -> tuple[float, float]:
    """Return prefill and decode tokens a second of one answer; its prompt is no other's."""
    turns = (Message(role=Role.USER, content=f"{number} " + FILLER * (prompt_tokens // 18)),)
    asked = GenerationRequest(
        id="r",
        model="m",
        mode=Mode.GENERAL,
        messages=turns,
        sampling=Sampling(max_tokens=answer_tokens, temperature=0.0, logit_bias=((2, -100.0),)),
    )
    begun = first = time.perf_counter()
    read = 0
    async for event in engine.generate(asked):
        match event:
            case Heartbeat():
                read, first = event.total, time.perf_counter()
            case Text() if first == begun:
                first = time.perf_counter()
            case Finished():
                made = event.usage.completion_tokens
                return read / (first - begun), made / (time.perf_counter() - first)
            case _:
                pass
    raise RuntimeError("the engine ended without a last event")


async def measure(arguments: argparse.Namespace, policy: str) -> None:
    """Print the speeds of a policy, quiet and busy."""
    settings = EngineSettings(wait_policy=policy, threads=arguments.threads, prefix_cache_mb=0, prefix_cache_disk_mb=0)
    engine = LocalEngine(arguments.model, "m", settings)
    await engine.start()
    number = 0
    for name, others in (("quiet", 0), ("busy", arguments.busy)):
        with busy(others):
            found = []
            load = os.getloadavg()[0]
            for _ in range(ROUNDS):
                number += 1
                found.append(await speeds(engine, number, arguments.prompt_tokens, arguments.answer_tokens))
        prefill, decode = (max(speed) for speed in zip(*found, strict=True))
        print(f"{policy:8} {name:6} load {load:4.1f}: prefill {prefill:7.1f} tok/s, decode {decode:6.1f} tok/s")
    await engine.close()


def main() -> None:
    """Read the arguments and measure both policies."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("--prompt-tokens", type=int, default=384)
    parser.add_argument("--answer-tokens", type=int, default=48)
    parser.add_argument("--threads", type=int, default=physical_cores())
    parser.add_argument("--busy", type=int, default=physical_cores())
    arguments = parser.parse_args()
    print(f"{arguments.model.name}, {arguments.threads} threads; busy is {arguments.busy} counting processes")
    for policy in ("passive", "active"):
        asyncio.run(measure(arguments, policy))


if __name__ == "__main__":
    main()
