"""Making the environment: what is skipped, what is told, what is built."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from roteiro import setup_env

TREE = Path(__file__).parents[2]


@pytest.fixture
def pip(monkeypatch):
    """Record every call of pip instead of running it."""
    calls: list[list[str]] = []
    monkeypatch.setattr(setup_env, "_pip", lambda venv, arguments, activity, environment=None: calls.append(arguments))
    return calls


@pytest.fixture
def venv(tmp_path):
    """Return the folder of an environment that exists already."""
    python = tmp_path / "venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.symlink_to("/bin/false")
    return tmp_path / "venv"


@pytest.fixture(autouse=True)
def _quiet(monkeypatch):
    for name in ("GPU", "LOCAL", "ROTEIRO_WHEELS", "CMAKE_ARGS", "CXX"):
        monkeypatch.delenv(name, raising=False)


def test_the_second_run_does_nothing(venv, pip, monkeypatch):
    """Each step left a stamp."""
    monkeypatch.setattr(setup_env, "_compiler", lambda: "/usr/bin/c++")
    assert setup_env.main([str(venv)]) == 0
    assert len(pip) == 3
    assert setup_env.main([str(venv)]) == 0
    assert len(pip) == 3


def test_what_development_needs_includes_what_running_needs(venv, pip, monkeypatch):
    """`make serve` after `make test` installs nothing again."""
    monkeypatch.setenv("LOCAL", "0")
    setup_env.main([str(venv), "--dev"])
    setup_env.main([str(venv)])
    assert [call[-1] for call in pip] == [f"{TREE}[dev]"]


def test_without_a_compiler_the_engine_is_left_out_and_the_way_on_is_told(venv, pip, monkeypatch, capsys):
    """Everything else works, and an upstream can answer."""
    monkeypatch.setattr(setup_env, "_compiler", lambda: None)
    assert setup_env.main([str(venv)]) == 0
    assert len(pip) == 1
    said = capsys.readouterr().err
    assert "no C++ compiler was found" in said
    assert "UPSTREAM=" in said


def test_the_engine_is_built_trimmed_and_says_how_long_it_takes(venv, pip, monkeypatch, capsys):
    """One wheel, at the pinned version, kept where the next run finds it."""
    monkeypatch.setattr(setup_env, "_compiler", lambda: "/usr/bin/c++")
    setup_env.main([str(venv)])
    assert "once: 4 to 20 minutes" in capsys.readouterr().err
    build, install = pip[1:]
    assert build[0] == "wheel"
    assert build[-1].startswith("llama-cpp-python==")
    assert install[-2:] == [str(venv / "engine"), build[-1]]


def test_a_built_engine_is_taken_from_its_folder(venv, pip, monkeypatch, tmp_path):
    """As CI does between its runs."""
    monkeypatch.setattr(setup_env, "_compiler", lambda: "/usr/bin/c++")
    (tmp_path / "llama_cpp_python-0-py3-none-any.whl").touch()
    monkeypatch.setenv("ROTEIRO_WHEELS", str(tmp_path))
    setup_env.main([str(venv)])
    assert [call[0] for call in pip] == ["install", "install"]


@pytest.mark.parametrize("gpu", ["cuda", "metal", "vulkan"])
def test_a_gpu_gets_its_own_build(venv, monkeypatch, gpu):
    """The flags of llama.cpp, in an environment variable of the build."""
    flags: list[str] = []
    monkeypatch.setattr(setup_env, "_compiler", lambda: "/usr/bin/c++")
    monkeypatch.setattr(
        setup_env,
        "_pip",
        lambda venv, arguments, activity, environment=None: flags.append((environment or {}).get("CMAKE_ARGS", "")),
    )
    monkeypatch.setenv("GPU", gpu)
    assert setup_env.main([str(venv)]) == 0
    assert any(f"-DGGML_{gpu.upper()}=ON" in flag for flag in flags)


@pytest.mark.parametrize(("folder", "is_named"), [("wheels", True), ("with a blank", False)])
def test_what_is_not_used_of_llama_cpp_is_not_compiled(tmp_path, folder, is_named):
    """By flags, and by a script that CMake reads where the path can be given to it."""
    flags = setup_env._trimmed(tmp_path / folder).split()
    named = [flag.split("=")[1] for flag in flags if flag.startswith("-DCMAKE_PROJECT_llama.cpp_INCLUDE=")]
    assert "-DLLAVA_BUILD=OFF" in flags
    assert ["LLAMA_BUILD_COMMON OFF" in Path(script).read_text() for script in named] == [True] * is_named


def test_an_unknown_gpu_is_refused_by_name(venv, pip, monkeypatch, capsys):
    """Before anything is built."""
    monkeypatch.setenv("GPU", "tpu")
    assert setup_env.main([str(venv)]) == 1
    assert "GPU=tpu is none of cuda, metal, vulkan" in capsys.readouterr().err


def test_a_failure_shows_the_last_lines_of_pip(venv, capsys):
    """And how to go on."""
    assert setup_env.main([str(venv), "--no-local"]) == 1
    assert "installing failed (pip exit code 1)" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "shown"),
    [("  [12/140] /usr/bin/g++ -O3", ", file 12 of 140"), ("[ 34%] Building CXX", ", 34 %"), ("Collecting x", "")],
)
def test_the_ticker_reads_how_far_the_compiler_is(line, shown):
    """Of ninja and of make."""
    ticker = setup_env._Ticker("building")
    ticker.read(line)
    ticker.stop()
    assert ticker._counter == shown


def test_it_needs_nothing_but_the_standard_library():
    """It runs before anything is installed, with any Python that is new enough."""
    code = "import runpy, sys; runpy.run_path(sys.argv[1], run_name='x'); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, str(TREE / "roteiro" / "setup_env.py")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "msgspec" not in done.stdout
    assert "roteiro" not in done.stdout.split()
