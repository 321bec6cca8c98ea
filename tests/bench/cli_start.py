"""How long a person or an agent waits for a command: wall and CPU seconds of whole processes, median of several.

    python tests/bench/cli_start.py REPOSITORY [--runs 11]

The repository is indexed first. Needs the `roteiro` script of this interpreter's environment.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

SCRIPT = Path(sys.executable).parent / "roteiro"
MCP = (
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{}}}\n'
    '{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
    '{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n'
)


def measure(command: list[str], runs: int) -> tuple[float, float]:
    """Return median wall and CPU seconds."""
    walls, cpus = [], []
    for _ in range(runs):
        before, start = os.times(), time.perf_counter()
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        walls.append(time.perf_counter() - start)
        after = os.times()
        cpus.append(after.children_user + after.children_system - before.children_user - before.children_system)
    return statistics.median(walls), statistics.median(cpus)


def measure_mcp(root: Path, runs: int) -> float:
    """Return the median seconds from the start of the process to the list of tools."""
    walls = []
    for _ in range(runs):
        start = time.perf_counter()
        with subprocess.Popen(
            [str(SCRIPT), "mcp", "--root", str(root)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdin
            assert process.stdout
            process.stdin.write(MCP)
            process.stdin.flush()
            while json.loads(process.stdout.readline()).get("id") != 2:
                pass
            walls.append(time.perf_counter() - start)
            process.stdin.close()
    return statistics.median(walls)


def main() -> None:
    """Print one line for each command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path)
    parser.add_argument("--runs", type=int, default=11)
    options = parser.parse_args()
    root = str(options.root)
    subprocess.run([str(SCRIPT), "sync", "--root", root], check=True, stdout=subprocess.DEVNULL)
    commands = {
        "--help": ["--help"],
        "status": ["status", "--root", root],
        "search session cookie": ["search", "session", "cookie", "--root", root],
        "overview": ["overview", "--root", root],
        "sync, nothing changed": ["sync", "--root", root],
    }
    for name, arguments in commands.items():
        wall, cpu = measure([str(SCRIPT), *arguments], options.runs)
        print(f"{name:<24} {wall * 1000:6.0f} ms wall  {cpu * 1000:6.0f} ms CPU")
    print(f"{'mcp, tools listed':<24} {measure_mcp(options.root, options.runs) * 1000:6.0f} ms wall")


if __name__ == "__main__":
    main()
