"""First-token times of a long preamble, strict and fast, beside llama-server where there is one.

    python tests/bench/engine_cache.py MODEL.gguf [--llama-server PATH] [--turns 6] [--preamble-tokens 2000]

Four cases on one preamble: cold, another question, a second turn, and the first question after a restart; then a
dialogue of several turns, with how often greedy text differs between strict and fast. All run one after the other on
the same machine; llama-server runs with its defaults but for the window, the threads and one slot.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import socket
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator
from pathlib import Path

import httpx

from serve.engine.local import LocalEngine
from serve.engine.local.machine import physical_cores
from serve.events import Finished, Text
from serve.settings import EngineSettings
from serve.turns import GenerationRequest, Message, Mode, Role, Sampling

ANSWER_TOKENS = 64
QUESTIONS = (
    "Which tool reads a file, and what does it need?",
    "How do I search for a function by name?",
    "What is the difference between the first two tools?",
    "Which tools take a number?",
    "Name the tools that change something.",
    "Summarise what we said so far.",
)
Turns = list[tuple[str, str]]


def preamble(tokens: int) -> str:
    """Return a system text of about so many tokens: tools as signatures with descriptions."""
    line = (
        "- tool_{0}(path: str, query?: str, limit?: int 1..{0}0) - Looks at the files of the repository and tells what"
    )
    line += " it found there, newest first, with the line numbers and a short piece of the text around each of them.\n"
    return "You help with code. These tools exist:\n" + "".join(line.format(n) for n in range(1, tokens // 58 + 1))


class Ours:
    """A local engine in one cache mode."""

    def __init__(self, model: Path, mode: str, folder: Path) -> None:
        self.name = f"roteiro {mode}"
        self._make = lambda: LocalEngine(model, "m", EngineSettings(cache_mode=mode), cache_folder=folder)

    async def start(self) -> None:
        """Load the model."""
        self.engine = self._make()
        await self.engine.start()

    async def stop(self) -> None:
        """End the worker."""
        await self.engine.close()

    async def ask(self, system: str, turns: Turns) -> tuple[float, str, dict[str, int]]:
        """Return the first-token time in seconds, the answer, and its usage."""
        roles = {"user": Role.USER, "assistant": Role.ASSISTANT}
        messages = (Message(role=Role.SYSTEM, content=system), *(Message(role=roles[r], content=t) for r, t in turns))
        sampling = Sampling(max_tokens=ANSWER_TOKENS, temperature=0.0)
        request = GenerationRequest(id="b", model="m", mode=Mode.GENERAL, messages=messages, sampling=sampling)
        begun, first, said, usage = time.perf_counter(), 0.0, "", {}
        async for event in self.engine.generate(request):
            if isinstance(event, Text):
                first = first or time.perf_counter() - begun
                said += event.text
            if isinstance(event, Finished):
                usage = {"prompt": event.usage.prompt_tokens, "cached": event.usage.cached_tokens}
        return first, said, usage


class LlamaServer:
    """llama-server as its own process."""

    def __init__(self, binary: Path, model: Path) -> None:
        self.name = "llama-server"
        self._binary, self._model = binary, model

    async def start(self) -> None:
        """Start it and wait until it is ready."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        command = [str(self._binary), "-m", str(self._model), "-c", "8192", "-t", str(physical_cores()), "-np", "1"]
        environment = {**os.environ, "OMP_WAIT_POLICY": "passive"}
        self._process = subprocess.Popen(  # noqa: ASYNC220 - nothing else runs in this loop
            [*command, "--port", str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment
        )
        self._client = httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=600)
        while True:
            try:
                if (await self._client.get("/health")).status_code == 200:
                    return
            except httpx.TransportError:
                pass
            await asyncio.sleep(0.2)

    async def stop(self) -> None:
        """End the process."""
        await self._client.aclose()
        self._process.terminate()
        self._process.wait()

    async def ask(self, system: str, turns: Turns) -> tuple[float, str, dict[str, int]]:
        """Return the first-token time in seconds, the answer, and its usage."""
        messages = [{"role": "system", "content": system}, *({"role": r, "content": t} for r, t in turns)]
        body = {"messages": messages, "stream": True, "temperature": 0, "max_tokens": ANSWER_TOKENS}
        begun, first, said = time.perf_counter(), 0.0, ""
        usage: dict[str, int] = {}
        async with self._client.stream("POST", "/v1/chat/completions", json=body) as response:
            async for chunk in chunks(response):
                for choice in chunk.get("choices", ()):
                    piece = choice["delta"].get("content") or ""
                    first = first or (time.perf_counter() - begun if piece else 0.0)
                    said += piece
                if timings := chunk.get("timings"):
                    usage = {"prompt": timings["prompt_n"] + timings["cache_n"], "cached": timings["cache_n"]}
        return first, said, usage


async def chunks(response: httpx.Response) -> AsyncIterator[dict[str, object]]:
    """Yield the payloads of a stream."""
    async for line in response.aiter_lines():
        if line.startswith("data: {"):
            yield json.loads(line[6:])


async def measure(engine: Ours | LlamaServer, system: str, turns: int) -> list[str]:
    """Print the figures of an engine; return what it said in the dialogue."""
    await engine.start()
    first = QUESTIONS[0]

    async def show(case: str, dialogue: Turns) -> str:
        seconds, said, usage = await engine.ask(system, dialogue)
        print(f"{engine.name}: {case}: {seconds:.2f} s to the first token, {usage}", flush=True)
        return said

    said = await show("cold", [("user", first)])
    await show("second turn", [("user", first), ("assistant", said), ("user", QUESTIONS[1])])
    await show("another question", [("user", QUESTIONS[2])])
    dialogue: Turns = []
    answers: list[str] = []
    for number in range(turns):
        dialogue.append(("user", QUESTIONS[number % len(QUESTIONS)]))
        answers.append(await show(f"dialogue, turn {number + 1}", dialogue))
        dialogue.append(("assistant", answers[-1]))
    await engine.stop()
    await engine.start()
    await show("after a restart", [("user", QUESTIONS[3])])
    await engine.stop()
    return answers


async def main(given: argparse.Namespace) -> None:
    """Print all figures."""
    system = preamble(given.preamble_tokens)
    said: dict[str, list[str]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for mode in ("strict", "fast"):
            said[mode] = await measure(Ours(given.model, mode, Path(folder) / mode), system, given.turns)
    same = sum(one == other for one, other in zip(said["strict"], said["fast"], strict=True))
    print(f"greedy answers equal in strict and fast: {same} of {given.turns}")
    if given.llama_server:
        await measure(LlamaServer(given.llama_server, given.model), system, given.turns)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("--llama-server", type=Path)
    parser.add_argument("--turns", type=int, default=6)
    parser.add_argument("--preamble-tokens", type=int, default=2_000)
    asyncio.run(main(parser.parse_args()))
