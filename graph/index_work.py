"""The work on one file: read it, decide whether it counts, extract its facts, and make the rows that stand for it.

Done in worker processes or in ours, with the same result. It reads the file and the cache of facts and writes nothing.
The rule that must stay true: what comes out is a function of (path, bytes, versions), never of an earlier result.
"""

from __future__ import annotations

from pathlib import Path

from graph.contents import skip_reason, text_of
from graph.errors import GraphError
from graph.extract.facts import Facts
from graph.extract.nodes import nodes_of
from graph.extract.registry import extract
from graph.facts_cache import FactsCache, encoded
from graph.git import blob_id
from graph.index_frames import Done, Job, NodeRow, Task, failed
from graph.languages import HEAD_BYTES, language_of
from graph.model import Node
from graph.reading import FileUnreadableError, read_file
from graph.resolve.configuration import configuration_interface
from graph.resolve.interface import interface_of

__all__ = ["CONTENT_VERSION", "Bench"]

CONTENT_VERSION = 3
"""Raise it when the rules of `graph.contents` or the rows made here change."""


class Bench:
    """Where files are worked on; holds a connection to the cache."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._root = Path(job.root)
        self._cache = FactsCache(Path(job.cache))

    def close(self) -> None:
        """Close the cache."""
        self._cache.close()

    def do(self, task: Task) -> Done:
        """Return what became of a file; a file that the extractor cannot bear is skipped with the reason.

        Raises:
            GraphError: something that concerns every file, such as a missing grammar.

        """
        try:
            return self._do(task)
        except FileUnreadableError as error:
            return failed(task.path, str(error))

    def _do(self, task: Task) -> Done:
        data = read_file(self._root, task.path, self._job.max_file_bytes)
        blob = blob_id(data)
        language = language_of(task.path, data[:HEAD_BYTES]) or ""
        if blob == task.known_blob and language == task.known_language:
            return Done(task.path, "same")
        if not language:
            return Done(task.path, "other", blob=blob, interface=configuration_interface(task.path, blob, data))
        if reason := skip_reason(task.path, language, data):
            return Done(task.path, "skipped", language, blob, reason)
        try:
            return self._indexed(task.path, language, blob, data)
        except GraphError:
            raise
        except Exception as error:  # noqa: BLE001 - one hostile file must not end a sync; the reason is recorded
            reason = f"the extractor failed: {type(error).__name__}: {error}"[:300]
            return Done(task.path, "skipped", language, blob, reason)

    def _indexed(self, path: str, language: str, blob: str, data: bytes) -> Done:
        text = text_of(data)
        facts = None if self._job.ignore_cache else self._cache.get(blob, language)
        fresh = facts is None
        if facts is None:
            facts = extract(language, text.data)
        interface = interface_of(facts)
        return Done(
            path,
            "indexed",
            language,
            blob,
            text.note,
            facts.line_count,
            facts.error_count,
            interface.digest,
            facts.doc,
            tuple(_row(node) for node in nodes_of(path, facts)),
            _markers(facts),
            interface.parts,
            encoded(facts) if fresh else b"",
        )


def _row(node: Node) -> NodeRow:
    return (
        node.key,
        node.kind.value,
        node.name,
        node.qualname,
        node.start_line,
        node.end_line,
        node.name_line,
        node.signature,
        node.doc,
        node.parent,
        int(node.is_test),
        int(node.is_exported),
    )


def _markers(facts: Facts) -> tuple[tuple[str, int, str], ...]:
    return tuple((marker.category, marker.line, marker.text) for marker in facts.markers)
