"""What a resolver may ask of all files: paths, languages, facts, and the text of configuration files.

Facts are decoded when asked for, and only the most recently used stay decoded: a large repository's facts would not fit
into the memory that a sync may use.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from pathlib import Path

from graph.contents import text_of
from graph.extract.facts import Facts
from graph.extract.registry import extract
from graph.facts_cache import FactsCache
from graph.index_plan import Known
from graph.reading import FileUnreadableError, read_file

__all__ = ["FileSource"]

_KEPT_LINES = 120_000
"""Decoded facts take about 1 KB a line of source; counted in lines because that is known for free."""


class FileSource:
    """The files of a root as a sync has just written them."""

    def __init__(self, root: Path, cache: FactsCache, files: Mapping[str, Known], max_file_bytes: int) -> None:
        self._root = root
        self._cache = cache
        self._files = files
        self._max_file_bytes = max_file_bytes
        self._paths = tuple(sorted(path for path, row in files.items() if row.status == "indexed"))
        self._kept: OrderedDict[str, Facts] = OrderedDict()
        self._kept_lines = 0

    def paths(self) -> Sequence[str]:
        """Return the paths of all indexed files, sorted."""
        return self._paths

    def language(self, path: str) -> str:
        """Return the language of an indexed file; KeyError when there is none."""
        return self._files[path].language

    def facts(self, path: str) -> Facts:
        """Return the facts of an indexed file; KeyError when there is none."""
        found = self._kept.get(path)
        if found is not None:
            self._kept.move_to_end(path)
            return found
        found = self._load(self._files[path])
        self._kept[path] = found
        self._kept_lines += found.line_count
        while self._kept_lines > _KEPT_LINES and len(self._kept) > 1:
            self._kept_lines -= self._kept.popitem(last=False)[1].line_count
        return found

    def config_text(self, path: str) -> str | None:
        """Return the text of a configuration file of the list, None when there is no such file."""
        row = self._files.get(path)
        if row is None or not row.blob or row.status not in {"other", "indexed"}:
            return None
        try:
            return read_file(self._root, path, self._max_file_bytes).decode("utf-8", "replace")
        except FileUnreadableError:
            return None

    def _load(self, row: Known) -> Facts:
        found = self._cache.get(row.blob, row.language)
        if found is not None:
            return found
        # The cache was emptied or damaged. A file that has changed since is found by the next sync.
        try:
            return extract(row.language, text_of(read_file(self._root, row.path, self._max_file_bytes)).data)
        except FileUnreadableError:
            return Facts(language=row.language, line_count=0)
