"""First-token times of a long preamble over HTTP, strict and fast, beside llama-server where there is one.

    python tests/bench/engine_cache.py MODEL.gguf [--llama-server PATH] [--rounds 3] [--preamble-tokens 2000] [--tools]
    python tests/bench/engine_cache.py MODEL.gguf --hybrid [--llama-server PATH] ...

Each round has a preamble of its own and three cases: cold, a second turn, another question on the same preamble. Then a
dialogue of several turns with how often greedy text differs between strict and fast, and the first question after a
restart. The servers take turns at every case, so that a machine that others use disturbs all alike; the best round
counts, and the processor time beside it. llama-server runs with its defaults but for window, threads and one slot.
With `--tools` the preamble is sixteen tools that each server renders in its own way, so that tokens differ (name a
model whose template has them). `--hybrid` measures a model of
random weights with the vocabulary of the named one, recurrent in three layers of four, so that nobody can go back.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from engine_servers import LlamaServer, Roteiro, Said, Server, Turns, chat
from hybrid_model import make_hybrid

CASES = ("cold", "second turn", "another question")
QUESTIONS = (
    "Which tool reads a file, and what does it need?",
    "How do I search for a function by name?",
    "What is the difference between the first two tools?",
    "Which tools take a number?",
    "Name the tools that change something.",
    "Summarise what we said so far.",
)
NOUN = "the files of the repository and tells what it found there, newest first, with the line numbers"


def preamble(tokens: int, number: int) -> str:
    """Return a system text of about so many tokens that begins like no other: tools with their descriptions."""
    line = (
        f"- tool_{{0}}(path: str, query?: str, limit?: int 1..{{0}}0) - Looks at {NOUN} and a short piece of the text"
    )
    lines = (line.format(n) + " around each of them.\n" for n in range(1, tokens // 58 + 1))
    return f"{number}. You help with code. These tools exist:\n" + "".join(lines)


def tools(number: int) -> list[dict]:
    """Return sixteen tools that no other round has, about 2,000 tokens in the words of a template."""
    names = {"path": "string", "query": "string", "limit": "integer", "kind": "string"}
    properties = {name: {"type": kind, "description": f"The {name} to look at"} for name, kind in names.items()}
    schema = {"type": "object", "properties": properties, "required": ["path"], "additionalProperties": False}
    return [
        {
            "type": "function",
            "function": {"name": f"tool_{number}_{n}", "description": f"Looks at {NOUN}.", "parameters": schema},
        }
        for n in range(16)
    ]


class Preamble:
    """What all requests of a round begin with."""

    def __init__(self, given: argparse.Namespace, number: int) -> None:
        if given.tools:
            self._fields = {"system": "You help with code.", "tools": tools(number)}
        else:
            self._fields = {"system": preamble(given.preamble_tokens, number)}

    def ask(self, server: Server, dialogue: Turns) -> Said:
        """Return the answer to the last turn of a dialogue after this preamble."""
        return chat(server, dialogue, **self._fields)


def rounds(servers: list[Server], given: argparse.Namespace) -> dict[tuple[str, str], list[Said]]:
    """Return what each server said in each case, a round after the other."""
    found: dict[tuple[str, str], list[Said]] = {(s.name, case): [] for s in servers for case in CASES}
    for number in range(given.rounds):
        head = Preamble(given, number)
        turns = servers[number % len(servers) :] + servers[: number % len(servers)]
        for case in CASES:
            for server in turns:
                dialogue: Turns = [("user", QUESTIONS[0])]
                if case == "second turn":
                    dialogue += [("assistant", found[server.name, "cold"][-1].text), ("user", QUESTIONS[1])]
                elif case == "another question":
                    dialogue = [("user", QUESTIONS[2])]
                found[server.name, case].append(head.ask(server, dialogue))
    return found


def dialogue(servers: list[Server], given: argparse.Namespace) -> dict[str, list[Said]]:
    """Return what each server said in a dialogue of several turns."""
    head = Preamble(given, 0)
    found: dict[str, list[Said]] = {server.name: [] for server in servers}
    for number in range(given.turns):
        for server in servers:
            turns: Turns = []
            for before, said in enumerate(found[server.name]):
                turns += [("user", QUESTIONS[before % len(QUESTIONS)]), ("assistant", said.text)]
            found[server.name].append(head.ask(server, [*turns, ("user", QUESTIONS[number % len(QUESTIONS)])]))
    return found


def restarts(servers: list[Server], given: argparse.Namespace) -> dict[str, list[Said]]:
    """Return what each server says first after each of some restarts, on a preamble that it knew."""
    found: dict[str, list[Said]] = {server.name: [] for server in servers}
    for server in servers:
        for _ in range(given.rounds if isinstance(server, Roteiro) else 1):
            server.stop()
            server.start()
            found[server.name].append(Preamble(given, 0).ask(server, [("user", QUESTIONS[3])]))
    return found


def show(case: str, said: dict[str, list[Said]]) -> None:
    """Print the best of each server, and how they stand to llama-server."""
    best = {name: min(some, key=lambda one: one.first_s) for name, some in said.items()}
    cpu = {name: min(one.first_cpu_s for one in some) for name, some in said.items()}
    beside = best.get("llama-server")
    for name, one in best.items():
        ratio = ""
        if beside and one is not beside:
            more_ms = (one.first_s - beside.first_s) * 1000
            ratio = f"; {one.first_s / beside.first_s:.3f} of llama-server ({more_ms:+.0f} ms)"
            ratio += f", CPU {cpu[name] / cpu['llama-server']:.3f}"
        tokens = f"{one.cached_tokens} of {one.prompt_tokens} tokens cached"
        print(
            f"{case}: {name}: {one.first_s:.3f} s to the first text, CPU {cpu[name]:.3f} s, {tokens}{ratio}", flush=True
        )


def run(given: argparse.Namespace, folder: Path) -> None:
    """Start the servers, print all figures, end them."""
    model = make_hybrid(folder / "hybrid.gguf", given.model) if given.hybrid else given.model
    modes = ("strict",) if given.hybrid else ("strict", "fast")
    servers: list[Server] = [
        Roteiro(model, "--mode", mode, "--folder", str(folder / mode), name=f"roteiro {mode}") for mode in modes
    ]
    if given.llama_server:
        servers.append(LlamaServer(given.llama_server, model))
    for server in servers:
        server.start()
    try:
        found = rounds(servers, given)
        for case in CASES:
            show(case, {server.name: found[server.name, case] for server in servers})
        said = dialogue(servers, given)
        for number in range(given.turns):
            show(f"dialogue, turn {number + 1}", {name: [answers[number]] for name, answers in said.items()})
        if not given.hybrid:
            texts = [[one.text for one in said[f"roteiro {mode}"]] for mode in modes]
            same = sum(one == other for one, other in zip(*texts, strict=True))
            print(f"greedy answers equal in strict and fast: {same} of {given.turns}")
        show("after a restart", restarts(servers, given))
    finally:
        for server in servers:
            server.stop()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("--hybrid", action="store_true")
    parser.add_argument("--llama-server", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--turns", type=int, default=6)
    parser.add_argument("--preamble-tokens", type=int, default=2_000)
    parser.add_argument("--tools", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run(given, Path(folder))
