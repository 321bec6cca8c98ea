"""How each answer reads: search, calls, source, context, paths and the overview, each as a `Page`.

What the other tools answer stands in `tool_text_lists` and `tool_text_reach`; cutting to size is in `tool_page`.
"""

from __future__ import annotations

from graph.context import Context
from graph.cycles import Circle
from graph.overview import Overview
from graph.paths import Hop, Path
from graph.query import Call, Calls
from graph.tool_page import BACKWARDS, Page, counted, cursor_sentence, noted, where
from graph.tool_results import SearchAnswer, SearchHit, SourceAnswer

__all__ = ["calls_page", "context_page", "overview_page", "path_page", "search_page", "source_page"]

_SITES_SHOWN = 8
_REASONS_SHOWN = 3
_PACKAGES_IN_A_CIRCLE = 6
_NOT_CALLED = frozenset({"file", "section", "adr", "marker", "interface", "type"})


def search_page(answer: SearchAnswer) -> Page:
    """Return ranked hits, each with where it is, its signature, its first sentence and the lines that matched."""
    if not answer.hits:
        head = f"Nothing found for {answer.query!r}. {answer.note}".rstrip()
        return Page(
            head=head if answer.note else f"{head} Try fewer or other words; identifiers are split by themselves."
        )
    first, last = answer.offset + 1, answer.offset + len(answer.hits)
    head = f"{counted(answer.total, 'hit')} for {answer.query!r}, {first}-{last}:"
    items = [_hit_text(answer.offset + rank, hit) for rank, hit in enumerate(answer.hits, 1)]
    return Page(head=head, items=items, foot=answer.note, go_on=cursor_sentence(answer.offset, answer.total, "hits"))


def calls_page(answer: Calls) -> Page:
    """Return callers or callees, each with its call sites; when there are none, why."""
    of = where(answer.of)
    if not answer.total:
        return Page(head=_no_calls(answer, of), foot=noted(answer.notes))
    verb = "called by" if answer.direction == "callers" else "calls"
    noun = counted(answer.total, "symbol") + f" at {counted(answer.sites, 'place')}"
    head = f"{of} is called by {noun}:" if verb == "called by" else f"{of} calls {noun}:"
    notes = list(answer.notes)
    if answer.candidates and not any(call.provenance == "inferred" for call in answer.calls):
        notes.append(
            f"{counted(answer.candidates, 'unresolved call')} may belong here too, by name: include_inferred=true."
        )
    items = [_call_text(call, answer) for call in answer.calls]
    return Page(
        head=head,
        items=items,
        foot=noted(notes),
        go_on=cursor_sentence(answer.offset, answer.total, answer.direction),
    )


def source_page(answer: SourceAnswer) -> Page:
    """Return the lines with their numbers."""
    lines = answer.text.splitlines()
    width = len(str(answer.end_line))
    items = [f"{number:>{width}}  {line}" for number, line in enumerate(lines, answer.start_line)]
    head = f"{answer.path}:{answer.start_line}-{answer.end_line} of {answer.line_count} lines"
    if answer.name and answer.name != answer.path:
        head += f", {answer.name}"

    def go_on(shown: int) -> str:
        following = answer.start_line + shown
        if following > answer.asked_end_line or following > answer.line_count:
            return ""
        left = answer.asked_end_line - following + 1
        return f"{left} more lines: source with path={answer.path} lines={following}-{answer.asked_end_line}"

    return Page(head=head, items=items, go_on=go_on)


def context_page(answer: Context) -> Page:
    """Return the reading list, with a heading for each thing to read."""
    items = [
        f"## {item.role}: {item.path}:{item.start_line}-{item.end_line} {item.kind} {item.name}\n{item.text}"
        for item in answer.items
    ]
    head = f"Reading list for {where(answer.of)} ({answer.used_tokens} of {answer.budget_tokens} tokens)"
    left_out = f"Left out: {'; '.join(answer.left_out)}." if answer.left_out else ""

    def go_on(shown: int) -> str:
        missing = len(answer.items) - shown
        return f"{missing} more entries did not fit the answer; ask with a smaller budget." if missing else ""

    return Page(head=head, items=items, foot=left_out, go_on=go_on)


def path_page(answer: Path) -> Page:
    """Return the hops from one symbol to the other, or why there are none."""
    start, end = where(answer.start), where(answer.end)
    if not answer.hops:
        return Page(head=f"No path from {start} to {end}. {answer.reason}")
    said = {
        "forward": f"{start} leads to {end}",
        "backward": f"{start} does not lead to {end}, but the other way round it does",
        "meeting": f"Neither of {start} and {end} leads to the other; this is where they meet",
        "none": "",
    }[answer.relation]
    items = [f"- {where(answer.hops[0].source)}", *(_hop_text(hop) for hop in answer.hops)]
    return Page(head=f"{said}, in {counted(len(answer.hops), 'hop')}:", items=items)


def overview_page(answer: Overview) -> Page:
    """Return the repository at a glance."""
    if not answer.files:
        return Page(head="Nothing is indexed yet: no file of this repository is in a language that Roteiro reads.")
    head = (
        f"{counted(answer.files, 'file')} indexed ({answer.skipped} skipped), {counted(answer.symbols, 'symbol')}, "
        f"{counted(answer.calls, 'call')} "
        f"(+{answer.candidates} unresolved), {answer.imports} imports"
    )
    items = [
        "Languages: "
        + "; ".join(
            f"{one.language or 'other'} {counted(one.files, 'file')}, {counted(one.lines, 'line')}"
            for one in answer.languages
        )
    ]
    items.append(f"Packages ({len(answer.packages)} of {answer.packages_total}, by symbols):")
    items += [
        f"  {one.path}  {counted(one.files, 'file')}, {counted(one.symbols, 'symbol')}"
        + (f": {one.doc}" if one.doc else "")
        for one in answer.packages
    ]
    if answer.entry_points:
        items.append("Entry points:")
        items += [f"  {where(one)}" + (f"  ({one.declared})" if one.declared else "") for one in answer.entry_points]
    if answer.hotspots:
        items.append("Most depended on (callers outside tests):")
        items += [f"  {one.callers:>4}  {where(one)}" for one in answer.hotspots]
    if answer.circles:
        items.append("Packages that import each other:")
        items += [f"  {_circle_text(one)}" for one in answer.circles]
    return Page(head=head, items=items)


def _circle_text(circle: Circle) -> str:
    shown = ", ".join(circle.packages[:_PACKAGES_IN_A_CIRCLE])
    more = len(circle.packages) - _PACKAGES_IN_A_CIRCLE
    return f"{shown}{f' and {more} more' if more > 0 else ''} ({counted(circle.imports, 'import')})"


def _hit_text(rank: int, hit: SearchHit) -> str:
    why = ", ".join(hit.why.split(", ")[:_REASONS_SHOWN])
    lines = [f"{rank}. {where(hit)}" + (f"  [{why}]" if why else "")]
    if hit.signature:
        lines.append(f"   {hit.signature}")
    if hit.doc:
        lines.append(f"   {hit.doc}")
    lines += [
        f"   {number}: {text.strip()[:160]}"
        for number, text in hit.lines
        if not (hit.signature and hit.signature.startswith(text.strip().rstrip(":({ ")))
    ]
    return "\n".join(lines)


def _call_text(call: Call, answer: Calls) -> str:
    shown = ", ".join(str(line) for line in call.lines[:_SITES_SHOWN])
    more = f" and {len(call.lines) - _SITES_SHOWN} more" if len(call.lines) > _SITES_SHOWN else ""
    marks = [f"depth {call.depth}"] if call.depth > 1 else []
    if call.through:
        marks.append(f"through {call.through.split(':')[-1]}")
    if call.provenance == "inferred":
        marks.append(f"inferred, confidence {call.confidence:.2g}")
    elif call.confidence < 1:
        marks.append(f"confidence {call.confidence:.2g}")
    marked = f" ({'; '.join(marks)})" if marks else ""
    site = f"lines {shown}{more}" if len(call.lines) > 1 else f"line {shown}"
    if call.site_path != (call.path if answer.direction == "callers" else answer.of.path):
        site += f" of {call.site_path}"
    text = f": {call.text[:160]}" if call.text else ""
    return f"- {where(call)}{marked}\n  {site}{text}"


def _hop_text(hop: Hop) -> str:
    says = hop.kind if hop.forward else BACKWARDS[hop.kind]
    at = (hop.source if hop.forward else hop.target).path
    facts = [f"line {hop.lines[0]} of {at}"] if hop.lines and hop.kind != "contains" else []
    facts.append(hop.provenance + (f", confidence {hop.confidence:.2g}" if hop.confidence < 1 else ""))
    text = f"\n     {hop.text[:160]}" if hop.text else ""
    return f"  {says} {where(hop.target)}  ({', '.join(facts)}){text}"


def _no_calls(answer: Calls, of: str) -> str:
    if answer.direction == "callers" and answer.of.kind in _NOT_CALLED:
        return f"{of}: a {answer.of.kind} is not called."
    if answer.direction == "callers":
        head = (
            f"{of}: no callers found. Nothing in the indexed files calls it in a way that the language's rules resolve."
        )
    else:
        head = f"{of}: calls nothing that is defined in the indexed files."
    if not answer.candidates:
        return f"{head} No unresolved call has a matching name either."
    unresolved = counted(answer.candidates, "unresolved call")
    return f"{head} {unresolved} with a matching name: include_inferred=true lists them."
