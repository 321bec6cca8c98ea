"""How late the server's event loop wakes while it serves, and how soon a client that leaves is forgotten.

    python tests/bench/engine_loop.py MODEL.gguf [--seconds 10] [--prompt-tokens 30000]

Each case runs for some seconds: nothing at all, a stream of tokens, a prompt of so many tokens that comes in and is
read, one far too long that is refused, tools with large schemas. In each: the 99th percentile and the worst of the
loop's lag, sampled every 10 ms inside of the server; the part of it that the loop's own work took, which does not see
who else uses the machine; and what a second connection waits for `/health`. At the end the time from a client's
leaving to an idle server, in prefill and in decode.
"""

from __future__ import annotations

import argparse
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
from engine_servers import Roteiro

WORDS = "The quick brown fox jumps over the lazy dog while the sun sets behind the hills. "
SCHEMA = {
    "type": "object",
    "properties": {
        f"field_{n}": {
            "type": "array",
            "items": {"anyOf": [{"type": "string", "pattern": "^[a-z]{1,9}$"}, {"type": "integer"}]},
        }
        for n in range(40)
    },
}
TOOLS = [
    {"type": "function", "function": {"name": f"tool_{n}", "description": WORDS, "parameters": SCHEMA}}
    for n in range(16)
]


def body(text: str, max_tokens: int = 2_000, **fields: object) -> dict[str, object]:
    """Return a request whose answer is long."""
    told = f"{text}\nNow count from 1 to 1000, one number a line, and nothing else."
    messages = [{"role": "user", "content": told}]
    return {"model": "m:general", "stream": True, "max_tokens": max_tokens, "messages": messages, **fields}


@contextmanager
def streaming(url: str, asked: dict[str, object]) -> Iterator[Callable[[], bool]]:
    """Ask in a thread and read until the block ends, then leave; yields whether text came."""
    has_text, is_over = threading.Event(), threading.Event()

    def read() -> None:
        with httpx.Client(timeout=600, trust_env=False) as client:
            while not is_over.is_set():
                with client.stream("POST", f"{url}/v1/chat/completions", json=asked) as response:
                    for line in response.iter_lines():
                        if '"content":"' in line and '"content":""' not in line:
                            has_text.set()
                        if is_over.is_set():
                            return

    thread = threading.Thread(target=read)
    thread.start()
    try:
        yield has_text.is_set
    finally:
        is_over.set()
        thread.join()


def pings(url: str, seconds: float) -> list[float]:
    """Return the milliseconds of `/health` on one connection, ten times a second."""
    found: list[float] = []
    end = time.monotonic() + seconds
    with httpx.Client(base_url=url, timeout=60, trust_env=False) as client:
        client.get("/health")
        while time.monotonic() < end:
            begun = time.perf_counter()
            client.get("/health")
            found.append((time.perf_counter() - begun) * 1000)
            time.sleep(0.1)
    return found


def show(case: str, lag_file: Path, begun: float, waited_ms: list[float]) -> None:
    """Print the figures of a case that began then and ends now."""
    rows = [[float(part) for part in line.split()] for line in lag_file.read_text().splitlines()]
    rows = [row for row in rows if len(row) == 3 and row[0] >= begun]
    lag, own = ([row[column] * 1000 for row in rows] for column in (1, 2))
    print(
        f"{case}: lag p99 {p99(lag):.1f} ms, worst {max(lag):.1f}; of the loop's own work p99 {p99(own):.1f} ms,"
        f" worst {max(own):.1f}; /health p99 {p99(waited_ms):.1f} ms ({len(lag)} samples)",
        flush=True,
    )


def p99(found: list[float]) -> float:
    """Return the 99th percentile."""
    return sorted(found)[min(len(found) - 1, len(found) * 99 // 100)]


def leave_ms(url: str, asked: dict[str, object], *, in_decode: bool) -> float:
    """Return the milliseconds from closing the connection to a server on which nothing runs."""
    with httpx.Client(base_url=url, timeout=600, trust_env=False) as leaving:
        with leaving.stream("POST", "/v1/chat/completions", json=asked) as response:
            lines = response.iter_lines()
            while in_decode and '"content":"' not in next(lines):
                pass
            time.sleep(0.5)
            begun = time.perf_counter()
        leaving.post("/v1/chat/completions", json=body("Hello.", 1)).raise_for_status()
        return (time.perf_counter() - begun) * 1000


def main(given: argparse.Namespace, folder: Path) -> None:
    """Print all figures."""
    lag_file = folder / "lag"
    server = Roteiro(given.model, "--folder", str(folder / "snapshots"), "--lag", str(lag_file))
    server.start()
    long = WORDS * (given.prompt_tokens // 17)
    try:
        begun = time.monotonic()
        show("idle", lag_file, begun, pings(server.url, given.seconds))
        for case, asked in (
            ("a stream of tokens", body("Hello.")),
            (f"a prompt of {given.prompt_tokens} tokens", body(long)),
            ("a prompt of ten times as many, refused", body(long * 10)),
            ("sixteen tools with large schemas", body("Hello.", 40, tools=TOOLS, tool_choice="required")),
        ):
            begun = time.monotonic()
            with streaming(server.url, asked):
                waited = pings(server.url, given.seconds)
            show(case, lag_file, begun, waited)
        print(
            f"left in prefill: the next answer is over after {leave_ms(server.url, body(long), in_decode=False):.0f} ms"
        )
        print(
            f"left in decode: the next answer is over after {leave_ms(server.url, body('Hi.'), in_decode=True):.0f} ms"
        )
    finally:
        server.stop()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--prompt-tokens", type=int, default=30_000)
    with tempfile.TemporaryDirectory() as scratch:
        main(parser.parse_args(), Path(scratch))
