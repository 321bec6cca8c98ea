"""Which symbols differ from a revision: added, removed, changed or moved, by comparing the definitions of both sides.

Files are told apart by the ids of their bytes: git's for the revision, our own for the work tree. A symbol is changed
when its own lines are, those of the symbols inside it left out: a method does not make its class a changed one. Blank
lines, and where a symbol stands, do not count.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from graph.contents import skip_reason, text_of
from graph.errors import GraphError
from graph.extract.nodes import nodes_of
from graph.extract.registry import extract
from graph.files import exclusion_of, is_foreign
from graph.ignore import Exclusion
from graph.languages import HEAD_BYTES, language_of
from graph.lookup import GraphReader, symbol_of
from graph.model import Node, NodeKind
from graph.revisions import commit_of, file_blobs, read_blobs
from graph.secrets import is_secret
from graph.settings import IndexSettings
from graph.tool_results import Change, ChangeStatus

__all__ = ["Changes", "Versions", "changed_symbols", "compared"]

_MOST_FILES = 500
"""Compared at once: both sides of a file take about 10 ms. Past it the answer names what it left out."""
_FILES_NAMED = 6


class Changes(Struct, frozen=True, kw_only=True):
    """All that differs, by path and line."""

    base: str
    commit: str
    changes: tuple[Change, ...]
    counts: dict[str, int]
    files: int
    """Files with such symbols; a file whose line ends alone differ is none."""
    notes: tuple[str, ...] = ()


class Versions(Struct, frozen=True):
    """The two sides of one file; None where it is not there."""

    path: str
    before: bytes | None
    after: bytes | None


class _Side(Struct, frozen=True):
    """A symbol with what its own lines say."""

    node: Node
    own: str


def changed_symbols(
    store: GraphReader,
    top: Path,
    settings: IndexSettings,
    read_bytes: Callable[[str], bytes],
    base: str,
    *,
    below: str = "",
) -> Changes:
    """Return what differs between a revision and the files on disk, as far as they are indexed, `below` a path.

    Raises:
        ArgumentError: `base` names no commit.
        RootError: git cannot read it.
    """
    commit = commit_of(top, base)
    rows = _listed(store)
    new = {path: blob for path, (status, blob) in rows.items() if status == "indexed"}
    old = _counted_files(file_blobs(top, commit), rows, exclusion_of(top, settings))
    differing = sorted(path for path in old.keys() | new.keys() if old.get(path) != rows.get(path, ("", ""))[1])
    wanted = [path for path in differing if not below or path == below or path.startswith(f"{below.rstrip('/')}/")]
    readable = [path for path in wanted if path in new or _may_have_symbols(path, rows)]
    pairs = _versions(top, settings, read_bytes, readable[:_MOST_FILES], old, new)
    changes = compared(pairs)
    notes = _notes([path for path in wanted if path not in set(readable)], readable[_MOST_FILES:])
    counts = Counter(change.status for change in changes)
    return Changes(
        base=base,
        commit=commit,
        changes=changes,
        counts={status: counts[status] for status in ("added", "removed", "changed", "moved") if counts[status]},
        files=len({change.path for change in changes}),
        notes=notes,
    )


def compared(pairs: Iterable[Versions]) -> tuple[Change, ...]:
    """Return the symbols that differ between the two sides of some files, by path and line. Pure."""
    added: list[_Side] = []
    removed: list[_Side] = []
    found: list[Change] = []
    for pair in pairs:
        before, after = _sides(pair.path, pair.before), _sides(pair.path, pair.after)
        removed += [side for key, side in before.items() if key not in after]
        added += [side for key, side in after.items() if key not in before]
        found += [
            _change(side.node, "changed", _signature_before(before[key].node, side.node))
            for key, side in after.items()
            if key in before and before[key].own != side.own
        ]
    found += _moved_added_removed(added, removed)
    return tuple(sorted(found, key=lambda change: (change.path, change.start_line, change.end_line, change.key)))


def _moved_added_removed(added: Sequence[_Side], removed: Sequence[_Side]) -> list[Change]:
    """Pair what is gone with what is new and says the same; the rest is really gone, or really new."""
    gone: dict[tuple[str, str, str], list[_Side]] = defaultdict(list)
    for side in removed:
        gone[side.node.kind.value, side.node.name, side.own].append(side)
    found: list[Change] = []
    for side in added:
        same = gone[side.node.kind.value, side.node.name, side.own]
        # Two empty symbols say the same without being the same.
        if same and side.own:
            found.append(_change(side.node, "moved", same.pop(0).node.key))
        else:
            found.append(_change(side.node, "added"))
    return found + [_change(side.node, "removed") for sides in gone.values() for side in sides]


def _sides(path: str, data: bytes | None) -> dict[str, _Side]:
    """Return the symbols of one side of a file by key; none where it is not there or not to be read."""
    language = language_of(path, (data or b"")[:HEAD_BYTES])
    if data is None or language is None or skip_reason(path, language, data):
        return {}
    text = text_of(data).data
    nodes = nodes_of(path, extract(language, text))
    lines = text.decode("utf-8", "replace").splitlines()
    inner: dict[str, list[Node]] = defaultdict(list)
    for node in nodes:
        inner[node.parent or ""].append(node)
    return {node.key: _Side(node, _own(node, inner[node.key], lines)) for node in nodes}


def _own(node: Node, inner: Iterable[Node], lines: Sequence[str]) -> str:
    """Return a digest of the lines that belong to a symbol and to none inside it."""
    foreign = {number for child in inner for number in range(child.start_line, child.end_line + 1)}
    own = [
        text
        for number in range(max(1, node.start_line), min(node.end_line, len(lines)) + 1)
        if number not in foreign and (text := lines[number - 1].rstrip())
    ]
    return hashlib.blake2b("\n".join(own).encode(), digest_size=16).hexdigest() if own else ""


def _change(node: Node, status: ChangeStatus, was: str = "") -> Change:
    symbol = symbol_of(node)
    return Change(
        path=symbol.path,
        start_line=symbol.start_line,
        end_line=symbol.end_line,
        key=symbol.key,
        name=symbol.name,
        qualname=symbol.qualname,
        kind=symbol.kind,
        signature=symbol.signature,
        doc=symbol.doc,
        is_test=symbol.is_test,
        status=status,
        was=was,
    )


def _signature_before(before: Node, after: Node) -> str:
    changed = before.signature != after.signature and after.kind is not NodeKind.FILE
    return before.signature if changed else ""


def _counted_files(
    blobs: Mapping[str, str], rows: Mapping[str, tuple[str, str]], exclusion: Exclusion
) -> dict[str, str]:
    """Return the files of a revision that the index would count today; what is left out now is no difference."""
    return {
        path: blob
        for path, blob in blobs.items()
        if not (_is_left_out(path, rows) or is_secret(path) or is_foreign(path) or exclusion.reason(path))
    }


def _is_left_out(path: str, rows: Mapping[str, tuple[str, str]]) -> bool:
    """Say whether a file is skipped today, or of a kind that is never read, so that nothing is known of its bytes."""
    status, blob = rows.get(path, ("indexed", "?"))
    return status == "skipped" or not blob


def _may_have_symbols(path: str, rows: Mapping[str, tuple[str, str]]) -> bool:
    """Say whether a file that is gone may have held symbols: by its suffix, or as a script without one."""
    return path not in rows and (language_of(path) is not None or "." not in path.rpartition("/")[2])


def _listed(store: GraphReader) -> dict[str, tuple[str, str]]:
    rows = store.read().execute("SELECT path, status, blob FROM file WHERE project = ?", (store.project_id,))
    return {str(path): (str(status), str(blob)) for path, status, blob in rows}


def _versions(
    top: Path,
    settings: IndexSettings,
    read_bytes: Callable[[str], bytes],
    paths: Sequence[str],
    old: Mapping[str, str],
    new: Mapping[str, str],
) -> Iterable[Versions]:
    wanted = list(dict.fromkeys(old[path] for path in paths if path in old))
    before = dict(read_blobs(top, wanted, settings.max_file_bytes)) if wanted else {}
    for path in paths:
        yield Versions(path, before.get(old.get(path, "")), _on_disk(read_bytes, path) if path in new else None)


def _on_disk(read_bytes: Callable[[str], bytes], path: str) -> bytes | None:
    try:
        return read_bytes(path)
    except GraphError:  # gone since it was indexed: then its symbols are gone too
        return None


def _notes(without_symbols: Sequence[str], left_out: Sequence[str]) -> tuple[str, ...]:
    notes: list[str] = []
    if without_symbols:
        rest = f" and {len(without_symbols) - _FILES_NAMED} more" if len(without_symbols) > _FILES_NAMED else ""
        names = ", ".join(without_symbols[:_FILES_NAMED])
        notes.append(f"Also changed, in no language that is read: {names}{rest}.")
    if left_out:
        notes.append(
            f"{len(left_out)} more changed files were not compared (from {left_out[0]} on); give `path` to see them."
        )
    return tuple(notes)
