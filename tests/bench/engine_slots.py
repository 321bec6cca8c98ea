"""One, two and four answers at a time, exact and batched: their speed, the time of each, whether neighbours change one.

    python tests/bench/engine_slots.py MODEL.gguf [--answer-tokens 64] [--rounds 2]

Four requests of their own prompts are sent at once to a server with so many slots; the answers of one slot are what the
others are compared with, byte by byte. Rounds alternate between the servers, and the best counts.
"""

from __future__ import annotations

import argparse
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from engine_servers import Roteiro, Said, chat, cpu_s

KINDS = ((1, "exact"), (2, "exact"), (4, "exact"), (2, "batched"), (4, "batched"))
REQUESTS = 4
TOPICS = ("rivers", "bridges", "clocks", "gardens")


def prompt(number: int, round_number: int) -> str:
    """Return a question of about 150 tokens that no other round asks."""
    lines = "".join(f"{n}. A sentence about {TOPICS[number]} that stands in a list of sentences.\n" for n in range(10))
    return f"Note {round_number}-{number}.\n{lines}Write a long story about {TOPICS[number]}."


def ask_all(server: Roteiro, round_number: int, answer_tokens: int) -> tuple[list[Said], float, float]:
    """Return the answers to all requests sent at once, the seconds of all, and the processor time."""
    begun, used = time.perf_counter(), cpu_s(server.pid)
    with ThreadPoolExecutor(REQUESTS) as pool:
        asked = [
            pool.submit(chat, server, [("user", prompt(number, round_number))], answer_tokens=answer_tokens)
            for number in range(REQUESTS)
        ]
        said = [one.result() for one in asked]
    return said, time.perf_counter() - begun, cpu_s(server.pid) - used


def main(given: argparse.Namespace) -> None:
    """Print a line for each kind of server."""
    servers: dict[tuple[int, str], Roteiro] = {}
    found: dict[tuple[int, str], list[tuple[list[Said], float, float]]] = {kind: [] for kind in KINDS}
    try:
        for slots, scheduling in KINDS:
            options = ["--slots", str(slots), "--mode", "strict", *(["--batched"] if scheduling == "batched" else [])]
            servers[slots, scheduling] = server = Roteiro(given.model, *options)
            server.start()
        for number in range(given.rounds):
            for kind, server in servers.items():
                found[kind].append(ask_all(server, number, given.answer_tokens))
    finally:
        for server in servers.values():
            server.stop()
    for (slots, scheduling), rounds in found.items():
        said, seconds, spent = min(rounds, key=lambda one: one[1])
        tokens = sum(one.answer_tokens for one in said)
        firsts, wholes = (sorted(getattr(one, name) for one in said) for name in ("first_s", "whole_s"))
        alone = [one.text for some, *_ in found[KINDS[0]] for one in some]
        equal = sum(
            one == other for one, other in zip((a.text for some, *_ in rounds for a in some), alone, strict=True)
        )
        cost = f"{tokens / seconds:.1f} tok/s in all, {spent * 1000 / tokens:.1f} ms CPU a token"
        waits = (
            f"first text after {firsts[0]:.2f} to {firsts[-1]:.2f} s, whole after {wholes[0]:.2f} to {wholes[-1]:.2f} s"
        )
        same = f"{equal} of {len(alone)} answers as with one slot"
        print(f"{slots} slots, {scheduling}: {cost}; {waits}; {same}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("--answer-tokens", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=2)
    main(parser.parse_args())
