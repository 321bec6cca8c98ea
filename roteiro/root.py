"""Which folder a command is about.

The rule that must stay true: nothing of that folder is run or imported to find out; looking for `.git` is a stat.
"""

from __future__ import annotations

from pathlib import Path

from roteiro.errors import UsageError

__all__ = ["find_root"]


def find_root(named: Path | None) -> Path:
    """Return the folder named by `--root`, else the nearest one above (or at) the working folder that holds `.git`.

    Without a `.git` anywhere above it is the working folder itself.

    Raises:
        UsageError: the named folder does not exist or is a file.

    """
    if named is not None:
        return _checked(named.expanduser())
    try:
        here = Path.cwd()
    except FileNotFoundError:
        raise UsageError("the folder you stand in was deleted. Go to a repository, or name one with --root.") from None
    for folder in (here, *here.parents):
        if (folder / ".git").exists():
            return folder
    return here


def _checked(folder: Path) -> Path:
    if not folder.exists():
        raise UsageError(f"--root {folder}: no such folder. Give the folder of a repository.")
    if not folder.is_dir():
        raise UsageError(f"--root {folder}: this is a file. Give the folder of a repository.")
    return folder.resolve()
