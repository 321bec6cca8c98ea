"""How plain lists read: outlines, the symbols of a kind, debt markers, the symbols that differ from a revision."""

from __future__ import annotations

from collections.abc import Mapping

from graph.debt import DebtList
from graph.kinds import KindList
from graph.outline import Outline, OutlineEntry, clipped
from graph.tool_page import Page, counted, cursor_sentence, noted, where
from graph.tool_results import Change, ChangesAnswer

__all__ = ["changes_page", "debt_page", "kind_page", "outline_page"]

_SIGNS = {"added": "+", "removed": "-", "changed": "~", "moved": ">"}


def outline_page(answer: Outline) -> Page:
    """Return one line for each symbol, indented by its depth; for a folder one for each file."""
    go_on = cursor_sentence(answer.offset, answer.total, "files" if answer.of is None else "symbols")
    if answer.of is None:
        files = [_file_line(entry) for entry in answer.entries]
        return Page(head=f"{answer.path}/ holds {counted(answer.total, 'indexed file')}:", items=files, go_on=go_on)
    if not answer.total:
        empty = f"{where(answer.of)} has no classes, functions or sections; `source` shows its lines."
        return Page(head=empty)
    head = f"{where(answer.of)}: {counted(answer.total, 'symbol')}"
    if answer.of.doc:
        head += f"\n{answer.of.doc}"
    return Page(head=head, items=[_symbol_line(entry) for entry in answer.entries], go_on=go_on)


def kind_page(answer: KindList) -> Page:
    """Return the symbols of a kind; when there are none, which kinds there are."""
    there = f" below {answer.path}" if answer.path else ""
    if not answer.total:
        return Page(head=f"No {answer.kind}{there}. {_instead(answer.counts, answer.path)}")
    items = [
        f"- {where(symbol)}" + (f"\n  {clipped(symbol.signature)}" if symbol.signature else "")
        for symbol in answer.symbols
    ]
    head = f"{counted(answer.total, 'symbol')} of kind {answer.kind}{there}:"
    return Page(head=head, items=items, go_on=cursor_sentence(answer.offset, answer.total, "symbols"))


def debt_page(answer: DebtList) -> Page:
    """Return the markers, each with the symbol around it; when there are none, what was looked for."""
    there = f" below {answer.path}" if answer.path else ""
    if not answer.total:
        others = _tally(answer.counts)
        also = f" Others there: {others}." if others else " Comments of every indexed file were read."
        return Page(head=f"No {', '.join(answer.categories)}{there}.{also}")
    items = [
        f"- {marker.path}:{marker.start_line} {marker.category}: {marker.text[:200]}"
        + (f"\n  in {marker.name}" if marker.name != marker.path else "")
        for marker in answer.markers
    ]
    head = f"{counted(answer.total, 'marker')}{there} ({_tally(answer.counts)}):"
    return Page(head=head, items=items, go_on=cursor_sentence(answer.offset, answer.total, "markers"))


def changes_page(answer: ChangesAnswer) -> Page:
    """Return what differs, one line a symbol: `+` added, `-` removed, `~` changed, `>` moved."""
    since = f"{answer.base} ({answer.commit[:10]})"
    if not answer.total:
        return Page(head=f"No symbol differs from {since}.", foot=noted(answer.notes))
    head = f"{counted(answer.total, 'symbol')} in {counted(answer.files, 'file')} differ from {since}: "
    return Page(
        head=f"{head}{_tally(answer.counts)}",
        items=[_change_line(change) for change in answer.changes],
        foot=noted(answer.notes),
        go_on=cursor_sentence(answer.offset, answer.total, "symbols"),
    )


def _file_line(entry: OutlineEntry) -> str:
    doc = f": {entry.doc}" if entry.doc else ""
    return f"- {entry.path} {entry.end_line} lines, {counted(entry.symbols, 'symbol')}{doc}"


def _symbol_line(entry: OutlineEntry) -> str:
    title = clipped(entry.signature) or f"{entry.kind} {entry.name}"
    return f"{'    ' * entry.depth}{entry.start_line}-{entry.end_line}: {title}"


def _change_line(change: Change) -> str:
    line = f"{_SIGNS[change.status]} {where(change)}"
    if change.status == "moved":
        return f"{line}\n  was {change.was}"
    return f"{line}\n  was: {clipped(change.was)}\n  now: {clipped(change.signature)}" if change.was else line


def _instead(counts: Mapping[str, int], path: str) -> str:
    if counts:
        return f"There are: {_tally(counts)}."
    return f"Nothing is indexed below {path}; paths are relative to the root." if path else "Nothing is indexed."


def _tally(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {what}" for what, count in counts.items())
