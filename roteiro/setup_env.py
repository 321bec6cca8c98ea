"""Make the environment that Roteiro runs in: `python3 -I roteiro/setup_env.py FOLDER [--dev] [--no-local]`.

Run by the Makefile with any Python 3.11 or newer, before anything is installed: standard library only, and it imports
nothing of Roteiro. Each step leaves a stamp named for what it depends on, so a second run is over in a moment.
`LOCAL=0` leaves the local engine out, `GPU=cuda|metal|vulkan` builds it for one, and `ROTEIRO_WHEELS` names a folder
in which the built engine is kept and looked for.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import threading
import time
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

__all__ = ["main"]

_TREE = Path(__file__).resolve().parent.parent

_GPU_FLAGS = {"": "", "cuda": "-DGGML_CUDA=ON", "metal": "-DGGML_METAL=ON", "vulkan": "-DGGML_VULKAN=ON"}

# What of llama.cpp is not used: the vision library, tools, examples, tests, downloads.
_TRIMMED = (
    "-DLLAVA_BUILD=OFF -DLLAMA_BUILD_TOOLS=OFF -DLLAMA_BUILD_EXAMPLES=OFF "
    "-DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_SERVER=OFF -DLLAMA_CURL=OFF"
)
# The bindings turn on the library that llama.cpp's own programs share, whatever the flags say, and use nothing of it.
# CMake reads this as the project of llama.cpp begins, after them: 74 files are compiled instead of 127.
_LEAVE_OUT = 'set(LLAMA_BUILD_COMMON OFF CACHE BOOL "nothing here uses it" FORCE)\n'

_COUNTER = re.compile(r"\[\s*(\d+)(?:/(\d+)|%)\]")
_LAST_LINES = 15
_TICK_S = 1.0
_LINE_EVERY_S = 15.0


def main(arguments: Sequence[str]) -> int:
    """Bring the environment in `arguments[0]` up to date; return an exit code."""
    venv = Path(arguments[0]).absolute()
    is_dev = "--dev" in arguments
    wants_local = "--no-local" not in arguments and os.environ.get("LOCAL", "1") != "0"
    try:
        _make_venv(venv)
        _install_project(venv, is_dev=is_dev)
        if wants_local:
            _install_engine(venv, os.environ.get("GPU", ""))
    except SetupError as error:
        _say(f"roteiro: {error}")
        return 1
    return 0


class SetupError(Exception):
    """A step failed; the text says what to do."""


def _make_venv(venv: Path) -> None:
    if (venv / "bin" / "python").exists():
        return
    _say(f"making {_shown(venv)} with Python {sys.version.split()[0]}")
    done = subprocess.run([sys.executable, "-m", "venv", str(venv)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        shutil.rmtree(venv, ignore_errors=True)
        said = " ".join((done.stdout + done.stderr).split())
        raise SetupError(
            f"python -m venv failed: {said[:400]} Cure on Debian and Ubuntu: apt-get install python3-venv."
        )


def _install_project(venv: Path, *, is_dev: bool) -> None:
    digest = hashlib.sha256((_TREE / "pyproject.toml").read_bytes()).hexdigest()[:16]
    # What dev needs includes what plain needs, so its stamp serves both.
    stamps = [venv / f".roteiro-dev-{digest}"] if is_dev else [venv / f".roteiro-{d}{digest}" for d in ("", "dev-")]
    if any(stamp.exists() for stamp in stamps):
        return
    _say("installing Roteiro and what it needs")
    target = f"{_TREE}[dev]" if is_dev else str(_TREE)
    _pip(venv, ["install", "--editable", target], "installing")
    stamps[0].touch()


def _install_engine(venv: Path, gpu: str) -> None:
    if gpu not in _GPU_FLAGS:
        raise SetupError(f"GPU={gpu} is none of cuda, metal, vulkan. Leave it out for the CPU.")
    requirement = _engine_requirement()
    stamp = venv / f".roteiro-engine-{requirement.replace('==', '-')}{'-' + gpu if gpu else ''}"
    if stamp.exists():
        return
    if not gpu and _has_engine(venv, requirement):
        stamp.touch()
        return
    if _compiler() is None:
        _say("no C++ compiler was found, so the local engine is left out: the graph, search and MCP work without it.")
        _say("  With one (`apt-get install g++`, `xcode-select --install`) run this again, or let another server")
        _say("  answer: make serve UPSTREAM=http://127.0.0.1:11434/v1")
        return
    wheels = Path(os.environ.get("ROTEIRO_WHEELS") or venv / f"engine{'-' + gpu if gpu else ''}").absolute()
    if not any(wheels.glob("llama_cpp_python-*.whl")):
        _build_engine(venv, requirement, gpu, wheels)
    replace = ["--force-reinstall", "--no-deps"] if gpu and _has_engine(venv, requirement) else []
    _pip(venv, ["install", *replace, "--find-links", str(wheels), requirement], "installing the local engine")
    stamp.touch()


def _build_engine(venv: Path, requirement: str, gpu: str, wheels: Path) -> None:
    _say("building the local engine (llama.cpp). This happens once: 4 to 20 minutes on two cores.")
    flags = " ".join(part for part in (os.environ.get("CMAKE_ARGS", ""), _trimmed(wheels), _GPU_FLAGS[gpu]) if part)
    # pip keeps built wheels without regard to CMAKE_ARGS, so its cache would hand a CPU build to a GPU machine.
    arguments = ["wheel", "--verbose", "--no-deps", "--no-cache-dir", "--no-binary=llama-cpp-python"]
    environment = {**os.environ, "CMAKE_ARGS": flags}
    _pip(venv, [*arguments, "--wheel-dir", str(wheels), requirement], "building the local engine", environment)


def _trimmed(folder: Path) -> str:
    """Return the flags that leave out what is not used; `folder` gets the script that one of them names."""
    script = folder / "leave_out.cmake"
    if len(str(script).split()) > 1:  # the flags are split at blanks
        return _TRIMMED
    folder.mkdir(parents=True, exist_ok=True)
    script.write_text(_LEAVE_OUT)
    return f"{_TRIMMED} -DCMAKE_PROJECT_llama.cpp_INCLUDE={script}"


def _engine_requirement() -> str:
    project = tomllib.loads((_TREE / "pyproject.toml").read_text())["project"]
    return str(project["optional-dependencies"]["local"][0])


def _has_engine(venv: Path, requirement: str) -> bool:
    name, _, version = requirement.partition("==")
    code = f"import importlib.metadata as m, sys; sys.exit(m.version({name!r}) != {version!r})"
    return subprocess.run([_python(venv), "-I", "-c", code], capture_output=True, check=False).returncode == 0


def _compiler() -> str | None:
    named = os.environ.get("CXX", "").split()
    return next((path for name in (*named[:1], "c++", "g++", "clang++") if (path := shutil.which(name))), None)


def _pip(venv: Path, arguments: Sequence[str], activity: str, environment: Mapping[str, str] | None = None) -> None:
    """Run pip, showing how long it has been at it, and its last lines when it fails."""
    command = [_python(venv), "-m", "pip", "--disable-pip-version-check", *arguments]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", env=environment
    ) as process:
        ticker = _Ticker(activity)
        lines: list[str] = []
        for line in process.stdout or ():
            lines = [*lines[-200:], line.rstrip()]
            ticker.read(line)
        code = process.wait()
        ticker.stop()
    if code != 0:
        _say("\n".join(lines[-_LAST_LINES:]))
        raise SetupError(f"{activity} failed (pip exit code {code}); its last lines stand above. Run again to retry.")


class _Ticker:
    """One line with the elapsed time and how far the compiler is, renewed on a terminal, repeated elsewhere."""

    def __init__(self, activity: str) -> None:
        self._activity = activity
        self._begin = time.monotonic()
        self._counter = ""
        self._is_done = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def read(self, line: str) -> None:
        """Take note of a line such as `[12/140] g++ ...`."""
        found = _COUNTER.search(line[:40])
        if found:
            self._counter = f", file {found[1]} of {found[2]}" if found[2] else f", {found[1]} %"

    def stop(self) -> None:
        """Stop ticking and leave the line in its last state."""
        self._is_done.set()
        self._thread.join()
        if sys.stderr.isatty():
            sys.stderr.write("\r\x1b[K")

    def _run(self) -> None:
        every = _TICK_S if sys.stderr.isatty() else _LINE_EVERY_S
        while not self._is_done.wait(every):
            minutes, seconds = divmod(int(time.monotonic() - self._begin), 60)
            text = f"  {self._activity}: {minutes}:{seconds:02d}{self._counter}"
            sys.stderr.write(f"\r{text}\x1b[K" if sys.stderr.isatty() else f"{text}\n")
            sys.stderr.flush()


def _python(venv: Path) -> str:
    return str(venv / "bin" / "python")


def _shown(path: Path) -> str:
    return os.path.relpath(path)


def _say(text: str) -> None:
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
