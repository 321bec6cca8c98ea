"""A hybrid model to measure with: random weights, and the vocabulary and the template of a real model.

    python tests/bench/hybrid_model.py MODEL.gguf FILE

Linear attention in three layers of four and weights of 8 bits, as in the hybrid models that people run; 83 MB with a
vocabulary of 49,152.
"""

from __future__ import annotations

import argparse
import ctypes
import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType

__all__ = ["make_hybrid"]

_Q8_0 = 7
"""llama.cpp's LLAMA_FTYPE_MOSTLY_Q8_0."""
_TINY_MODELS = Path(__file__).parents[1] / "serve" / "engine" / "tiny_models.py"


def make_hybrid(path: Path, vocabulary_of: Path) -> Path:
    """Write the model to `path`."""
    from llama_cpp import llama_cpp as llama

    tiny = _tiny_models()
    sizes = tiny.Sizes(embedding=512, layers=8, feed_forward=1_536, heads=4, attends_every=4)
    wide = tiny.make("linear", path.with_suffix(".f32"), sizes, vocabulary_of)
    params = llama.llama_model_quantize_default_params()
    params.ftype = _Q8_0
    failed = llama.llama_model_quantize(os.fsencode(wide), os.fsencode(path), ctypes.byref(params))
    wide.unlink()
    assert not failed, f"llama.cpp could not quantise {wide}"
    return path


def _tiny_models() -> ModuleType:
    """Return the module by which the tests make their models."""
    spec = importlib.util.spec_from_file_location("tiny_models", _TINY_MODELS)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules["tiny_models"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("file", type=Path)
    given = parser.parse_args()
    print(make_hybrid(given.file, given.model))
