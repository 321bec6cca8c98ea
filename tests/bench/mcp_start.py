"""How long an agent waits for the tools: process start to the answer of `tools/list`, and the CPU that it costs.

    python tests/bench/mcp_start.py [ROOT] [--rounds 10]

Starts `python -m roteiro mcp --root ROOT` as a client does, sends initialize and tools/list at once, reads until the
list has come. CPU is that of the whole process until then and its end.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

REQUESTS = [
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "bench", "version": "1"},
        },
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
]


def start(root: Path) -> tuple[float, float]:
    """Return milliseconds to the list of tools, and CPU milliseconds of the process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-m", "roteiro", "mcp", "--root", str(root)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=root,
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(b"".join(json.dumps(request).encode() + b"\n" for request in REQUESTS))
        server.stdin.flush()
        while json.loads(server.stdout.readline())["id"] != 2:
            pass
        waited = time.perf_counter() - begun
        # Killed at once: what it would do next, opening the index, is not part of the wait.
        server.kill()
        server.wait()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return waited * 1000, (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", nargs="?", type=Path, default=Path.cwd())
    parser.add_argument("--rounds", type=int, default=10)
    options = parser.parse_args()
    rounds = [start(options.root.resolve()) for _ in range(options.rounds)]
    for name, values in (
        ("start to tools/list, ms", [wait for wait, _ in rounds]),
        ("CPU, ms", [c for _, c in rounds]),
    ):
        print(f"{name}: median {statistics.median(values):.0f}, worst {max(values):.0f} of {len(values)}")
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
