"""Reading and writing the files that `roteiro init` adds to.

The rule that must stay true: no link is followed below the folder of a place, and a file is replaced whole or not at
all. A repository is a stranger's: its `AGENTS.md` may be a link to a file of the person's own.
"""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path

from graph.reading import FileUnreadableError, read_file
from roteiro.init.edits import Edit, Place, added, undone_text
from roteiro.init.targets import Wish

__all__ = ["FileRefusedError", "read_place", "undone", "write_place", "written"]

_MOST_BYTES = 1_000_000


class FileRefusedError(OSError):
    """A file that is left alone; its text says why."""


def read_place(place: Place) -> str | None:
    """Return the text of a file, None when there is none.

    Raises:
        FileRefusedError: it is a link, behind one, too large, or not UTF-8.
    """
    if not Path(place.base, place.name).is_symlink() and not _exists(place):
        return None
    try:
        return read_file(Path(place.base), place.name, _MOST_BYTES).decode()
    except FileUnreadableError as error:
        raise FileRefusedError(f"{place} is left alone: {error}.") from None
    except UnicodeDecodeError:
        raise FileRefusedError(f"{place} is left alone: it is not UTF-8 text.") from None


def written(wish: Wish, recorded: Edit | None) -> tuple[Edit, str] | None:
    """Return what is to be recorded and the new text of the file; None when nothing is to be done.

    Raises:
        FileRefusedError: the file is there and ours does not fit in.
    """
    before = read_place(wish.place)
    if before is None:
        return _whole(wish)
    if recorded is not None and recorded.created and before == recorded.text:
        return None if before == wish.whole else _whole(wish)
    if wish.how == "create" or (wish.mark and wish.mark in before):
        return None
    found = added(before, wish.part, wish.how)
    if found is None:
        raise FileRefusedError(
            f"{wish.place} is left alone: there is no safe place in it. Add this yourself:\n{wish.part}"
        )
    return Edit(place=wish.place, text=found[1], created=False), found[0]


def _whole(wish: Wish) -> tuple[Edit, str]:
    return Edit(place=wish.place, text=wish.whole, created=True, part=wish.part), wish.whole


def undone(edit: Edit) -> str | None:
    """Return the text without what was added; None when the whole file is to go.

    Raises:
        FileRefusedError: what was added is not there any more as it was.
    """
    now = read_place(edit.place)
    if now is None:
        raise FileRefusedError(f"{edit.place} is gone already.")
    if edit.created and now == edit.text:
        return None
    rest = undone_text(edit, now)
    if rest is None:
        raise FileRefusedError(
            f"{edit.place} is left alone: what was added has been edited since. Take it out yourself."
        )
    return rest


def write_place(place: Place, text: str | None, *, is_executable: bool = False) -> None:
    """Replace a file whole, or delete it with the folders that are then empty; keeps the mode of one that is there."""
    path = Path(place.base, place.name)
    if text is None:
        path.unlink()
        for folder in path.relative_to(place.base).parents[:-1]:
            with suppress(OSError):  # not empty: others keep files there
                Path(place.base, folder).rmdir()
        return
    mode = path.stat(follow_symlinks=False).st_mode & 0o777 if _exists(place) else (0o755 if is_executable else 0o644)
    path.parent.mkdir(parents=True, exist_ok=True)
    _refuse_linked_folders(place)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        draft.chmod(mode)
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def _exists(place: Place) -> bool:
    _refuse_linked_folders(place)
    return os.path.lexists(Path(place.base, place.name))


def _refuse_linked_folders(place: Place) -> None:
    folder = Path(place.base)
    for part in place.name.split("/")[:-1]:
        folder /= part
        if folder.is_symlink():
            raise FileRefusedError(f"{place} is left alone: {folder} is a symbolic link.")
