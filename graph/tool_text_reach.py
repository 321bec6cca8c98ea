"""How neighbourhoods read: a symbol explained, and what a change reaches."""

from __future__ import annotations

from graph.explain import Explanation, Neighbour, NeighbourGroup
from graph.impact import Impact, Reached
from graph.tool_page import BACKWARDS, Page, counted, cursor_sentence, noted, where

__all__ = ["explain_page", "impact_page"]

_SITES_SHOWN = 6
_SEEDS_NAMED = 6


def explain_page(answer: Explanation) -> Page:
    """Return a symbol, then its neighbours under a heading for each kind and direction of edge."""
    facts = (
        [answer.language] + ([] if answer.is_exported else ["not exported"]) + (["test"] if answer.of.is_test else [])
    )
    head = "\n".join(
        part for part in (f"{where(answer.of)} ({', '.join(facts)})", answer.of.signature, answer.doc) if part
    )
    items = [line for group in answer.groups for line in _group_lines(group, answer.offset)]
    notes: list[str] = []
    if answer.unresolved_callers:
        calls = counted(answer.unresolved_callers, "unresolved call")
        notes.append(f"{calls} of that name may reach it too: callers with include_inferred=true lists them.")
    if not answer.groups:
        notes.append("The graph has no edge at this symbol.")
    left = sum(
        max(0, group.total - answer.offset - len(group.neighbours)) for group in answer.groups if group.neighbours
    )
    rest = f"{left} more neighbours: cursor={answer.cursor}" if answer.cursor else ""
    return Page(head=head, items=items, foot=noted(notes), go_on=lambda shown: _go_on(len(items) - shown, rest))


def impact_page(answer: Impact) -> Page:
    """Return what is reached, nearest first, tests last; when nothing is, why."""
    of = _changed(answer)
    notes = list(answer.notes)
    if answer.candidates:
        notes.append(f"{counted(answer.candidates, 'unresolved call')} may reach it too, by name; see `callers`.")
    if not answer.total:
        return Page(head=f"{of} reaches nothing that the graph can follow: {_why_nothing(answer)}", foot=noted(notes))
    steps = ", ".join(f"{count} at distance {distance}" for distance, count in answer.by_distance.items())
    reach = f"{counted(answer.total, 'symbol')} in {counted(answer.files, 'file')}, {answer.tests} of them in tests"
    return Page(
        head=f"{of} reaches {reach} ({steps}):",
        items=[_reached_text(one) for one in answer.reached],
        foot=noted(notes),
        go_on=cursor_sentence(answer.offset, answer.total, "symbols"),
    )


def _group_lines(group: NeighbourGroup, offset: int) -> list[str]:
    says = group.kind if group.direction == "out" else BACKWARDS[group.kind]
    left = group.total - offset - len(group.neighbours)
    if not group.neighbours:
        return []
    heading = (
        f"{says} ({group.total}):" if not left and not offset else f"{says} ({group.total}, {left} more behind these):"
    )
    return [heading, *(_neighbour_line(one, group) for one in group.neighbours)]


def _neighbour_line(one: Neighbour, group: NeighbourGroup) -> str:
    facts = [one.provenance + (f" {one.confidence:.2g}" if one.confidence < 1 else "")]
    if one.lines and group.kind != "contains":
        facts.insert(0, _lines(one.lines))
    return f"- {where(one)}  ({', '.join(facts)})"


def _reached_text(one: Reached) -> str:
    at = f" {_lines(one.lines)}" if one.lines else ""
    sure = f", confidence {one.confidence:.2g}" if one.confidence < 1 else ""
    mark = ", test" if one.is_test else ""
    return f"- {one.distance}: {where(one)}\n  {one.edge} {_short(one.through)}{at}{sure}{mark}"


def _short(key: str) -> str:
    """Return a key as `path#name`, without its scheme and language."""
    return key.removeprefix("sym:").partition(":")[2] if key.startswith("sym:") else key


def _lines(lines: tuple[int, ...]) -> str:
    shown = ", ".join(str(line) for line in lines[:_SITES_SHOWN])
    more = f" and {len(lines) - _SITES_SHOWN} more" if len(lines) > _SITES_SHOWN else ""
    return f"line {shown}" if len(lines) == 1 else f"lines {shown}{more}"


def _changed(answer: Impact) -> str:
    if not answer.base:
        return f"A change of {where(answer.of[0])}"
    names = ", ".join(symbol.qualname for symbol in answer.of[:_SEEDS_NAMED])
    more = f" and {answer.changed - _SEEDS_NAMED} more" if answer.changed > _SEEDS_NAMED else ""
    what = f" ({names}{more})" if names else ""
    return f"What changed since {answer.base}, {counted(answer.changed, 'symbol')}{what},"


def _why_nothing(answer: Impact) -> str:
    if answer.base and not answer.changed:
        return "no symbol that is still there differs from it."
    return "no indexed file calls, uses, extends or imports it in a way that the language's rules resolve."


def _go_on(left: int, rest: str) -> str:
    if left > 0:
        return f"{left} more lines did not fit; ask with a smaller limit."
    return rest
