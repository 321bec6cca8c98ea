"""What a file of C or C++ sees: itself, the headers it includes, and the files that define what these declare.

There is no linker to ask. A declaration in a header leads to a definition in a source file that is called like the
header or lies beside it; anything else is not followed. Names are found by their qualified name.
"""

from __future__ import annotations

from msgspec import Struct

from graph.extract.facts import Facts, Name, Subscript
from graph.model import NodeKind
from graph.resolve.core import EvaluatorCore
from graph.resolve.modules_c import SOURCE_SUFFIXES
from graph.resolve.rules_c import C_RULES
from graph.resolve.signals import module_signal
from graph.resolve.values import Module
from graph.resolve.world import World

__all__ = ["Unit", "UnitTables"]

_MAX_FILES = 300
_KINDS = frozenset(
    {NodeKind.FUNCTION, NodeKind.METHOD, NodeKind.CLASS, NodeKind.STRUCT, NodeKind.ENUM, NodeKind.TYPE, NodeKind.MODULE}
)

_OPEN = frozenset({"module", "namespace", "class", "extension"})


class _Table(Struct, frozen=True):
    """The names of one file."""

    named: dict[str, list[int]]
    """Qualified names -> definitions."""
    declared: frozenset[str]
    """The simple names of functions that are declared here and may be defined elsewhere."""
    spaces: tuple[str, ...]
    """The namespaces whose names are used without saying so, each with a trailing dot."""


class Unit(Struct, frozen=True):
    """The files whose names one file sees, the file itself first."""

    path: str
    headers: tuple[str, ...]
    sources: tuple[str, ...]
    spaces: tuple[str, ...]


class UnitTables:
    """Units and tables of the files of one resolution, made when first asked for."""

    def __init__(self) -> None:
        self._tables: dict[str, _Table] = {}
        self._units: dict[str, Unit] = {}

    def table(self, evaluator: EvaluatorCore, path: str) -> _Table:
        """Return the names of a file."""
        found = self._tables.get(path)
        if found is None:
            facts = evaluator.view(path).facts  # asked for each file that is resolved: what is read is depended on
            shared = evaluator.world.index("c tables", _no_tables)
            if path not in shared:
                shared[path] = _table_of(facts)
            found = self._tables[path] = shared[path]
        return found

    def unit(self, evaluator: EvaluatorCore, path: str) -> Unit:
        """Return what a file sees."""
        found = self._units.get(path)
        if found is None:
            found = self._units[path] = self._unit(evaluator, path)
        return found

    def _unit(self, evaluator: EvaluatorCore, path: str) -> Unit:
        world, modules = evaluator.world, C_RULES.modules(evaluator.world)
        seen: dict[str, None] = {path: None}
        waiting = [path]
        while waiting:
            current = waiting.pop(0)
            for item in evaluator.view(current).facts.imports:
                target = C_RULES.import_target(world, current, item)
                evaluator.listen(target.listens)
                is_new = isinstance(target.value, Module) and target.value.path not in seen
                if isinstance(target.value, Module) and is_new and len(seen) < _MAX_FILES:
                    seen[target.value.path] = None
                    waiting.append(target.value.path)
        headers = tuple(other for other in seen if other != path)
        sources: dict[str, None] = {}
        for header in seen:
            evaluator.listen((module_signal(header.rpartition("/")[2].split(".", 1)[0]),))
            for source in modules.sources_of(header):
                if source not in seen and _is_c(world, source):
                    sources.setdefault(source, None)
        spaces = [space for other in seen for space in self.table(evaluator, other).spaces]
        return Unit(path, headers, tuple(sources)[:_MAX_FILES], tuple(dict.fromkeys(spaces)))

    def find(self, evaluator: EvaluatorCore, path: str, prefix: str, dotted: str) -> list[tuple[str, int]]:
        """Return the definitions that a name means inside of a prefix, the innermost scope that has one first."""
        unit = self.unit(evaluator, path)
        while True:
            for space in ("", *unit.spaces):
                found = self.named(evaluator, unit, f"{prefix}{space}{dotted}")
                if found:
                    return found
            if not prefix:
                return []
            head = prefix[:-1].rpartition(".")[0]
            prefix = f"{head}." if head else ""

    def named(self, evaluator: EvaluatorCore, unit: Unit, qualname: str) -> list[tuple[str, int]]:
        """Return the definitions of a qualified name, of the file itself if it has any."""
        own = self.table(evaluator, unit.path).named.get(qualname)
        if own:
            return [(unit.path, index) for index in own]
        found = [
            (path, index)
            for path in unit.headers
            for index in self.table(evaluator, path).named.get(qualname, ())
            if not (path.endswith(SOURCE_SUFFIXES) and not _is_linked(evaluator, path, index))
        ]
        if found:
            return found
        simple = qualname.rpartition(".")[2]
        files = (unit.path, *unit.headers)
        if not any(simple in self.table(evaluator, path).declared for path in files):
            return []
        return [
            (path, index)
            for path in unit.sources
            for index in self.table(evaluator, path).named.get(qualname, ())
            if _is_linked(evaluator, path, index)
        ]


def _is_c(world: World, path: str) -> bool:
    return world.language(path) in ("c", "cpp")


def _is_linked(evaluator: EvaluatorCore, path: str, index: int) -> bool:
    """Tell whether other files see a definition."""
    definition = evaluator.view(path).facts.definitions[index]
    return definition.kind is NodeKind.METHOD or ("static" not in definition.modifiers and definition.exported)


def _no_tables(world: World) -> dict[str, _Table]:
    del world
    return {}


def _table_of(facts: Facts) -> _Table:
    named: dict[str, list[int]] = {}
    for index, item in enumerate(facts.definitions):
        if item.kind in _KINDS and (item.owner == 0 or facts.scopes[item.owner].kind in _OPEN):
            named.setdefault(item.qualname, []).append(index)
    declared = {
        assign.target.id
        for scope in facts.scopes
        if scope.kind in _OPEN
        for assign in scope.assigns
        if assign.how == "annotation" and isinstance(assign.target, Name) and _is_function(assign.value)
    }
    spaces = [
        item.specifier.replace("::", ".") + "."
        for item in facts.imports
        if item.kind == "using" and item.names[0].alias == "*"
    ]
    return _Table(named, frozenset(declared), tuple(spaces))


def _is_function(value: object) -> bool:
    return isinstance(value, Subscript) and value.base == Name("func")
