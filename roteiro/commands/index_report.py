"""How a sync, and the state of an index, are shown."""

from __future__ import annotations

from pathlib import Path

import msgspec

from graph.repository import Freshness, SyncReport
from graph.visible import visible
from roteiro.folders import cache_folder, log_file, models_folder
from roteiro.terminal import bold, dim, green, print_json, print_text, yellow
from roteiro.workspace import Workspace

__all__ = ["print_status", "print_sync"]

_NOT_INDEXED = 1


def print_sync(report: SyncReport, *, as_json: bool) -> int:
    """Print what a sync did; return 0."""
    if as_json:
        print_json(report)
        return 0
    skipped = f", {report.skipped:,} skipped" if report.skipped else ""
    files = f"{report.indexed:,} {'file' if report.indexed == 1 else 'files'}"
    print_text(
        f"{bold(files)} in the graph{skipped}; {report.changed:,} changed, {report.removed:,} removed, "
        f"{report.seconds:.1f} s"
    )
    if not report.indexed:
        listed = report.files - report.skipped
        others = f" ({listed:,} {'is' if listed == 1 else 'are'} listed without one)" if listed else ""
        print_text(f"no file here is in a language that Roteiro reads{others}; is this the right folder?")
    print_text(dim(f"store: {report.store}"))
    if report.elsewhere:
        print_text(dim(f"  not beside the repository: {report.elsewhere}"))
    return 0


def print_status(workspace: Workspace, *, with_skipped: bool = False, as_json: bool) -> int:
    """Print what the index holds, where things are kept, on request what was left out; return 1 without an index."""
    repository = workspace.repository
    freshness = repository.freshness()
    counts = _counts(workspace) if freshness.is_indexed else {}
    note = workspace.search_note() if freshness.is_indexed else ""
    places = {
        "store": repository.places.database,
        "models": models_folder(),
        "cache": cache_folder(),
        "log": log_file(),
        "settings": workspace.config.user_file,
    }
    sizes = {name: _size(path) for name, path in places.items()}
    skipped = _skipped(workspace) if with_skipped and freshness.is_indexed else []
    if as_json:
        print_json(
            {
                "root": str(repository.root),
                "is_fresh": freshness.is_fresh,
                **msgspec.structs.asdict(freshness),
                "counts": counts,
                "search_note": note,
                "places": {name: {"path": str(path), "bytes": sizes[name]} for name, path in places.items()},
                "upstreams": [upstream.base_url for upstream in workspace.config.serve.upstream],
                "skipped": [{"path": path, "reason": reason} for path, reason in skipped],
            }
        )
    else:
        _print_text(workspace, freshness, counts, {name: (path, sizes[name]) for name, path in places.items()})
        if note:
            print_text(dim(f"  {note}"))
        for path, reason in skipped:
            print_text(f"  {visible(path)}  {dim(visible(reason))}")
        if with_skipped and not skipped:
            print_text("  no file was left out")
    return 0 if freshness.is_indexed else _NOT_INDEXED


def _print_text(
    workspace: Workspace, freshness: Freshness, counts: dict[str, int], places: dict[str, tuple[Path, int]]
) -> None:
    print_text(bold(str(workspace.repository.root)))
    print_text(f"  {_state(freshness)}")
    if counts:
        print_text("  " + ", ".join(f"{number:,} {what}" for what, number in counts.items()))
    for upstream in workspace.config.serve.upstream:
        print_text(yellow(f"  with this upstream source leaves the machine: {upstream.base_url}"))
    for name, (path, size) in places.items():
        print_text(f"  {name:<9} {path}  {dim(_shown_size(size))}")


def _state(freshness: Freshness) -> str:
    commit = f" (commit {freshness.built_commit[:10]})" if freshness.built_commit else ""
    if not freshness.is_indexed:
        return yellow("not indexed yet: run `roteiro sync`")
    if freshness.is_fresh:
        return green(f"up to date{commit}")
    return yellow(f"{freshness.changed_files:,} files are newer than the index{commit}: run `roteiro sync`")


def _counts(workspace: Workspace) -> dict[str, int]:
    store = workspace.repository.store
    select = {
        "files": "SELECT count(*) FROM file WHERE project = ? AND status = 'indexed'",
        "without a language of ours": "SELECT count(*) FROM file WHERE project = ? AND status = 'other'",
        "skipped": "SELECT count(*) FROM file WHERE project = ? AND status = 'skipped'",
        "symbols": "SELECT count(*) FROM node WHERE project = ?",
        "edges": "SELECT count(*) FROM edge WHERE project = ?",
    }
    return {
        what: int(store.read().execute(statement, (store.project_id,)).fetchone()[0])
        for what, statement in select.items()
    }


def _skipped(workspace: Workspace) -> list[tuple[str, str]]:
    """Return every file that was left out, by path, with the reason."""
    store = workspace.repository.store
    rows = store.read().execute(
        "SELECT path, reason FROM file WHERE project = ? AND status = 'skipped' ORDER BY path", (store.project_id,)
    )
    return [(str(path), str(reason)) for path, reason in rows]


def _size(path: Path) -> int:
    """Return the bytes below a path; 0 when nothing is there."""
    if path.is_file():
        return path.stat().st_size
    return sum(found.stat().st_size for found in path.rglob("*") if found.is_file() and not found.is_symlink())


def _shown_size(size: int) -> str:
    return f"{size / 1e6:,.1f} MB" if size else "nothing yet"
