"""Whether a model file has all the data that its own header names: a digest of our own making proves nothing."""

from __future__ import annotations

from pathlib import Path

__all__ = ["incompleteness"]


def incompleteness(path: Path) -> str:
    """Return in a sentence what is missing or wrong of a GGUF file, empty when it is whole; reads the header alone."""
    # Loads struct and pathlib alone, no engine.
    from serve.engine.local.gguf import check_whole
    from serve.errors import EngineError

    try:
        check_whole(path)
    except EngineError as error:
        return str(error)
    return ""
