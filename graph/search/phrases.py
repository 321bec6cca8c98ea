"""Quoted phrases and excluded terms, held literally against what a document says.

The index knows stems, so `"signed cookies"` would also find `sign cookie`; quotes promise the very characters (case
aside). They are checked here on the candidates, in the text that was indexed.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from graph.search.indexing import read_file
from graph.search.lexical import Candidate
from graph.search.parsing import ParsedQuery
from graph.search.ranking import Ranked

__all__ = ["keep_literal"]


def keep_literal(connection: sqlite3.Connection, ranked: Sequence[Ranked], parsed: ParsedQuery) -> list[Ranked]:
    """Return the hits that hold every phrase and no excluded term, in the order given."""
    if not parsed.phrases and not parsed.excluded:
        return list(ranked)
    wanted = [" ".join(phrase.lower().split()) for phrase in parsed.phrases]
    unwanted = [" ".join(term.lower().split()) for term in parsed.excluded]
    files: dict[int, list[str]] = {}
    kept: list[Ranked] = []
    for hit in ranked:
        text = _text(connection, hit.candidate, files)
        if all(phrase in text for phrase in wanted) and not any(term in text for term in unwanted):
            kept.append(hit)
    return kept


def _text(connection: sqlite3.Connection, candidate: Candidate, files: dict[int, list[str]]) -> str:
    if candidate.file not in files:
        found = read_file(connection, candidate.file)
        files[candidate.file] = found[0].split("\n") if found else []
    body = " ".join(files[candidate.file][max(candidate.start_line, 1) - 1 : candidate.end_line])
    everything = f"{candidate.path} {candidate.qualname} {candidate.signature} {candidate.doc} {body}"
    return " ".join(everything.lower().split())
