"""What building the local engine takes, and what it takes without the parts that are left out.

    python tests/bench/native_build.py [--only trimmed|whole] [--keep FOLDER]

Builds the pinned llama-cpp-python from its source, as `make serve` does and with nothing left out, one after the other
into a temporary folder, and prints for each the time, the processor time, and the size of the wheel. Nothing of an
environment is changed; the source comes from the package index. Takes ten minutes on two quiet cores.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import ModuleType

SETUP = Path(__file__).parents[2] / "roteiro" / "setup_env.py"


def setup_module() -> ModuleType:
    """Return the module that builds the engine for people: its requirement and its flags are what is measured."""
    spec = importlib.util.spec_from_file_location("setup_env", SETUP)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def build(name: str, flags: str, requirement: str, folder: Path) -> None:
    """Build the wheel with these CMake flags and print what it took."""
    wheels = folder / name
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet", "--no-deps"]
    command += ["--no-cache-dir", "--no-binary=llama-cpp-python", "--wheel-dir", str(wheels), requirement]
    begun, used = time.perf_counter(), cpu_s()
    subprocess.run(command, env={**os.environ, "CMAKE_ARGS": flags}, check=True)
    seconds, spent = time.perf_counter() - begun, cpu_s() - used
    (wheel,) = wheels.glob("*.whl")
    print(f"{name}: {seconds:.0f} s, {spent:.0f} s of processor time, {wheel.stat().st_size / 1e6:.1f} MB", flush=True)


def cpu_s() -> float:
    """Return the processor time of all ended children."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main(given: argparse.Namespace, folder: Path) -> None:
    """Build what was asked for."""
    setup = setup_module()
    for name, flags in (("trimmed", setup._trimmed(folder / "script")), ("whole", "")):
        if given.only in {"", name}:
            build(name, flags, setup._engine_requirement(), folder)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=("trimmed", "whole"), default="")
    parser.add_argument("--keep", type=Path, help="leave the wheels here")
    with tempfile.TemporaryDirectory(prefix="bench-build-") as scratch:
        asked = parser.parse_args()
        main(asked, asked.keep or Path(scratch))
