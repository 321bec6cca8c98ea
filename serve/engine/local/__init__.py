"""A GGUF model in a process of its own, through llama.cpp's low-level API. `LocalEngine` is the way in."""

from serve.engine.local.engine import LocalEngine

__all__ = ["LocalEngine"]
