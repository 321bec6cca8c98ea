"""Models for the engine's tests: tiny generated ones, and a real one where there is one."""

import importlib.util
import os
import sys
from pathlib import Path

import platformdirs
import pytest

TEST_MODEL = "smollm2-135m"


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory):
    """Return a function from a kind of model to the path of a tiny one."""
    pytest.importorskip("llama_cpp", reason="llama-cpp-python is not installed (`pip install 'roteiro[local]'`)")
    spec = importlib.util.spec_from_file_location("tiny_models", Path(__file__).with_name("tiny_models.py"))
    tiny_models = importlib.util.module_from_spec(spec)
    sys.modules["tiny_models"] = tiny_models
    spec.loader.exec_module(tiny_models)
    folder = tmp_path_factory.mktemp("models")
    made = {}

    def path(kind):
        if kind not in made:
            made[kind] = tiny_models.make(kind, folder / f"{kind}.gguf")
        return made[kind]

    return path


@pytest.fixture(scope="session")
def real_model():
    """Return the path of a small real model, from ROTEIRO_TEST_MODEL or the folder of installed models."""
    pytest.importorskip("llama_cpp", reason="llama-cpp-python is not installed (`pip install 'roteiro[local]'`)")
    named = os.environ.get("ROTEIRO_TEST_MODEL")
    folder = Path(platformdirs.user_data_dir("roteiro")) / "models"
    found = [Path(named)] if named else sorted(folder.glob(f"**/*{TEST_MODEL}*.gguf"))
    if not found or not found[0].is_file():
        pytest.skip(f"no {TEST_MODEL} model: set ROTEIRO_TEST_MODEL, or `roteiro model pull {TEST_MODEL}`")
    return found[0]
