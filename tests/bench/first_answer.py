"""From a fresh clone to the first useful answer, each step timed: without a model, and with one.

    python tests/bench/first_answer.py REPOSITORY [--question TEXT] [--wheels FOLDER] [--model FILE]

Clones this tree into a temporary folder and uses it as a newcomer would. With `--wheels` (a folder that holds the built
local engine) and `--model` (a GGUF file) the answer of the model is timed too; the native build is left out.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

TREE = Path(__file__).resolve().parents[2]


def timed(name: str, command: list[str], cwd: Path, environment: Mapping[str, str]) -> float:
    """Run a step, print its seconds, return them."""
    start = time.perf_counter()
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - start
    print(f"{seconds:7.1f} s  {name}")
    if done.returncode not in {0, 1}:
        raise SystemExit(f"{name} failed: {done.stderr[-2000:]}")
    return seconds


def main() -> None:
    """Print a line for each step, and the sums."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repository", type=Path)
    parser.add_argument("--question", default="Where is the session cookie signed, and what is used as the key?")
    parser.add_argument("--symbol", default="url_for")
    parser.add_argument("--wheels", type=Path)
    parser.add_argument("--model", type=Path)
    options = parser.parse_args()
    base = Path(tempfile.mkdtemp(prefix="roteiro-first-"))
    try:
        run(options, base)
    finally:
        shutil.rmtree(base)


def run(options: argparse.Namespace, base: Path) -> None:
    """Go the way twice: with the graph alone, then with a model."""
    environment = {
        **os.environ,
        **{f"XDG_{name}_HOME": str(base / name) for name in ("DATA", "CACHE", "STATE", "CONFIG")},
    }
    clone, target = base / "clone", base / "target"
    total = timed("git clone", ["git", "clone", "-q", str(TREE), str(clone)], base, environment)
    subprocess.run(["git", "clone", "-q", str(options.repository), str(target)], check=True)
    roteiro = str(clone / ".venv" / "bin" / "roteiro")
    total += timed("make install LOCAL=0", ["make", "install", "LOCAL=0"], clone, environment)
    total += timed("roteiro search (indexes first)", [roteiro, "search", options.question], target, environment)
    total += timed("roteiro callers", [roteiro, "callers", options.symbol], target, environment)
    print(f"{total:7.1f} s  clone to first answer without a model\n")
    if options.wheels and options.model:
        built = {**environment, "ROTEIRO_WHEELS": str(options.wheels)}
        total += timed("make install, engine built before", ["make", "install"], clone, built)
        total += timed("roteiro model add", [roteiro, "model", "add", str(options.model)], target, environment)
        total += timed("roteiro ask (loads the model)", [roteiro, "ask", options.question], target, environment)
        print(f"{total:7.1f} s  clone to first answer with a model")


if __name__ == "__main__":
    main()
