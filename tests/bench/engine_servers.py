"""Servers for the benches of the engine, each a process of its own that is asked over HTTP: ours, and llama-server.

    python tests/bench/engine_servers.py MODEL.gguf [--mode auto|strict|fast] [--slots N] [--batched] [--folder CACHE]
                                         [--lag FILE]

serves a model without a repository until it is ended, and prints its address: what `Roteiro` starts. `--lag` writes how
late the event loop wakes, a line a sample: the time, the lag, and the loop's own processor time in it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import httpx
from msgspec import Struct

Turns = list[tuple[str, str]]
ANSWER_TOKENS = 64
LAG_EVERY_S = 0.01


class Said(Struct):
    """An answer and what it took."""

    first_s: float
    """To the first text."""
    first_cpu_s: float
    """Processor time of the server's processes up to there: it does not see who else runs."""
    whole_s: float
    text: str
    prompt_tokens: int = 0
    cached_tokens: int = 0
    answer_tokens: int = 0


class Server(Protocol):
    """A model behind HTTP."""

    name: str
    url: str
    pid: int

    def start(self) -> None:
        """Load the model."""
        ...

    def stop(self) -> None:
        """End the process."""
        ...


def chat(
    server: Server, turns: Turns, *, system: str = "", answer_tokens: int = ANSWER_TOKENS, **fields: object
) -> Said:
    """Ask for a streamed answer of chat completions and time it."""
    messages = [{"role": "system", "content": system}] if system else []
    messages += [{"role": role, "content": text} for role, text in turns]
    body = {"messages": messages, "stream": True, "temperature": 0, "max_tokens": answer_tokens, **fields}
    body |= {"model": "m:general", "stream_options": {"include_usage": True}}
    said = Said(0.0, 0.0, 0.0, "")
    with httpx.Client(timeout=600, trust_env=False) as client:
        client.get(f"{server.url}/health")  # the connection is there before the clock runs
        used, begun = cpu_s(server.pid), time.perf_counter()
        with client.stream("POST", f"{server.url}/v1/chat/completions", json=body) as response:
            for chunk in chunks(response):
                for choice in chunk.get("choices", ()):
                    piece = choice["delta"].get("content") or ""
                    if piece and not said.text:
                        said.first_s, said.first_cpu_s = time.perf_counter() - begun, cpu_s(server.pid) - used
                    said.text += piece
                if usage := chunk.get("usage"):
                    said.prompt_tokens, said.answer_tokens = usage["prompt_tokens"], usage["completion_tokens"]
                    said.cached_tokens = usage.get("prompt_tokens_details", {}).get("cached_tokens", 0)
        said.whole_s = time.perf_counter() - begun
    return said


def chunks(response: httpx.Response) -> Iterator[dict]:
    """Yield the payloads of a stream; a refusal is raised with its sentence."""
    if response.status_code != 200:
        raise SystemExit(response.read().decode())
    for line in response.iter_lines():
        if line.startswith("data: {"):
            yield json.loads(line[6:])


class Roteiro:
    """Our server over one local model."""

    def __init__(self, model: Path, *options: str, name: str = "roteiro") -> None:
        self.name = name
        self._command = [sys.executable, __file__, str(model), *options]

    def start(self) -> None:
        """Start it and wait until it serves."""
        self._process = subprocess.Popen(self._command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self.url = self._process.stdout.readline().strip()
        self.pid = self._process.pid

    def stop(self) -> None:
        """End it, its snapshots on the disk."""
        self._process.terminate()
        self._process.wait()


class LlamaServer:
    """llama-server with its defaults but for the window, the threads and one slot."""

    def __init__(self, binary: Path, model: Path) -> None:
        from serve.engine.local.machine import physical_cores

        self.name = "llama-server"
        sizes = ["-c", "8192", "-t", str(physical_cores()), "-np", "1"]
        self._command = [str(binary), "-m", str(model), *sizes]

    def start(self) -> None:
        """Start it and wait until it serves."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        environment = {**os.environ, "OMP_WAIT_POLICY": "passive"}
        self._process = subprocess.Popen(
            [*self._command, "--port", str(port)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=environment,
        )
        self.url, self.pid = f"http://127.0.0.1:{port}", self._process.pid
        while self._process.poll() is None:
            try:
                if httpx.get(f"{self.url}/health", trust_env=False).status_code == 200:
                    return
            except httpx.TransportError:
                pass
            time.sleep(0.2)
        raise SystemExit(f"llama-server ended with exit code {self._process.returncode}")

    def stop(self) -> None:
        """End it."""
        self._process.terminate()
        self._process.wait()


def tree(pid: int) -> list[int]:
    """Return a process and all below it."""
    found = [pid]
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in task.read_text(encoding="ascii").split():
            found += tree(int(child))
    return found


def cpu_s(pid: int) -> float:
    """Return the processor time of a process and all below it."""
    spent_ns = 0
    for one in tree(pid):
        for task in Path(f"/proc/{one}/task").glob("*/schedstat"):
            spent_ns += int(task.read_text(encoding="ascii").split()[0])
    return spent_ns / 1e9


def serve(given: argparse.Namespace) -> None:
    """Serve a model until SIGTERM."""
    from serve.engine.local import LocalEngine
    from serve.http.app import build_app
    from serve.http.server import run
    from serve.http.service import Served, Service
    from serve.settings import EngineSettings, ServeSettings

    scheduling = "batched" if given.batched else "exact"
    settings = EngineSettings(cache_mode=given.mode, slots=given.slots, scheduling=scheduling)
    engine = LocalEngine(given.model, "m", settings, cache_folder=given.folder, is_lazy=given.lazy)

    class Probed(Service):
        async def start(self) -> None:
            await super().start()
            if given.lag:
                self._probing = asyncio.create_task(probe_lag(given.lag))

    service = Probed(models=(Served(engine, None),), repository=None, settings=ServeSettings(), version="bench")
    run(build_app(service), "127.0.0.1", 0, lambda url: print(url, flush=True))


async def probe_lag(path: Path) -> None:
    """Write how late the loop wakes, until cancelled.

    The loop's own processor time tells what its callbacks held it up for, without what the scheduler did.
    """
    with path.open("w") as file:
        while True:
            begun, used = time.monotonic(), time.thread_time()
            await asyncio.sleep(LAG_EVERY_S)
            now = time.monotonic()
            lag = max(0.0, now - begun - LAG_EVERY_S)
            file.write(f"{now} {lag} {min(lag, time.thread_time() - used)}\n")
            file.flush()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("--mode", default="auto")
    parser.add_argument("--slots", type=int, default=0)
    parser.add_argument("--batched", action="store_true")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--lag", type=Path)
    parser.add_argument("--lazy", action="store_true", help="load the model with the first request")
    serve(parser.parse_args())
