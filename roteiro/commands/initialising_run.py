"""How `init` and `init --remove` go: find what is to be done, show the difference, ask, do it, record it."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from roteiro.errors import ConsentError, UsageError
from roteiro.init import (
    CLIENTS,
    Edit,
    FileRefusedError,
    Place,
    ServedModel,
    load_record,
    read_place,
    save_record,
    undone,
    wishes,
    write_place,
    written,
)
from roteiro.models import DEFAULT_MODEL
from roteiro.terminal import bold, confirm, print_json, print_text, program, say
from roteiro.wiring import open_workspace
from roteiro.workspace import Workspace

__all__ = ["run_init", "run_remove"]

_NOT_DONE = 1
_WINDOW_TOKENS = 32_768
"""What the default model was trained on; a server that holds less says so in its own refusals."""


class _Work(Struct, frozen=True):
    """One file to write or to delete."""

    place: Place
    before: str
    after: str | None
    """None deletes the file."""
    edit: Edit | None
    """What is recorded afterwards; None forgets the record of this place."""
    is_executable: bool = False


def run_init(root: Path | None, clients: Sequence[str], *, with_hooks: bool, yes: bool, as_json: bool) -> int:
    """Add what is missing; return 0, 1 when the answer was no.

    Raises:
        UsageError: there is no such client, or no git for hooks.
        ConsentError: there is nobody to ask.
    """
    unknown = [client for client in clients if client not in CLIENTS]
    if unknown:
        raise UsageError(f"--client {unknown[0]}: there is no such agent here. Known: {', '.join(CLIENTS)}.")
    with open_workspace(root) as workspace:
        top = workspace.repository.root
        wanted = wishes(
            top,
            hooks=_hook_folder(workspace) if with_hooks else None,
            clients=clients,
            command=program(),
            served=_served(workspace),
        )
    recorded = {edit.place: edit for edit in load_record(top)}
    work: list[_Work] = []
    refused: list[str] = []
    for wish in wanted:
        try:
            found = written(wish, recorded.get(wish.place))
        except FileRefusedError as error:
            refused.append(str(error))
            continue
        if found is not None:
            before = read_place(wish.place) or ""
            work.append(_Work(wish.place, before, found[1], found[0], wish.is_executable))
    return _carried_out(top, work, refused, yes=yes, as_json=as_json)


def run_remove(root: Path | None, *, yes: bool, as_json: bool) -> int:
    """Take out what `init` added; return 0, 1 when the answer was no.

    Raises:
        ConsentError: there is nobody to ask.
    """
    with open_workspace(root) as workspace:
        top = workspace.repository.root
    work: list[_Work] = []
    refused: list[str] = []
    for edit in load_record(top):
        try:
            work.append(_Work(edit.place, read_place(edit.place) or "", undone(edit), None))
        except FileRefusedError as error:
            refused.append(str(error))
    return _carried_out(top, work, refused, yes=yes, as_json=as_json)


def _carried_out(top: Path, work: Sequence[_Work], refused: Sequence[str], *, yes: bool, as_json: bool) -> int:
    for one in work:
        for line in _difference(one):
            say(line)
    for reason in refused:
        say(reason)
    if work and not yes:
        answer = confirm("Write this?")
        if answer is None:
            raise ConsentError("writing needs a yes, and there is no terminal to ask on. Pass --yes.")
        if not answer:
            return _NOT_DONE
    edits = {edit.place: edit for edit in load_record(top)}
    for one in work:
        write_place(one.place, one.after, is_executable=one.is_executable)
        edits.pop(one.place, None)
        if one.edit is not None:
            edits[one.place] = one.edit
        save_record(top, tuple(edits.values()))  # after each: what is written is recorded, whatever comes next
    _tell(work, refused, as_json=as_json)
    return 0


def _tell(work: Sequence[_Work], refused: Sequence[str], *, as_json: bool) -> None:
    if as_json:
        written_files = [{"path": str(one.place), "action": _action(one)} for one in work]
        print_json({"files": written_files, "refused": list(refused)})
        return
    for one in work:
        print_text(f"{_action(one):<8} {bold(str(one.place))}")
    if not work:
        print_text("nothing to do")


def _action(one: _Work) -> str:
    if one.after is None:
        return "deleted"
    return "changed" if one.before else "created"


def _difference(one: _Work) -> Iterator[str]:
    before, after = one.before.splitlines(), (one.after or "").splitlines()
    names = (str(one.place) if one.before else "(no file)", str(one.place) if one.after is not None else "(no file)")
    yield from difflib.unified_diff(before, after, *names, lineterm="", n=2)


def _hook_folder(workspace: Workspace) -> Path:
    """Return git's own folder. A `core.hooksPath` of the repository is not asked: a stranger wrote it."""
    repository = workspace.repository
    if repository.worktree is None:
        raise UsageError(f"--hook: {repository.root} is no git checkout.")
    if repository.places.elsewhere:
        raise UsageError(f"--hook: the git folder here is not written to, because {repository.places.elsewhere}.")
    return repository.worktree.common_dir


def _served(workspace: Workspace) -> ServedModel:
    serve = workspace.config.serve
    return ServedModel(f"http://{serve.addr}/v1", serve.model or DEFAULT_MODEL, _WINDOW_TOKENS)
