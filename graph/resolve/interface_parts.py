"""What others can see of a Python file, filed under the names by which they find it.

Whatever a resolver reads of another file it reaches by names: of a module, of a class, of an attribute. So a change
that is filed under names which a resolution never asked for cannot have changed its result, and a file is resolved
again only when a name it asked for (`graph.resolve.asked`) has something else behind it now.

What stands behind a name: definitions of that name with the whole of their bodies (of a class only its head, fields and
type parameters: members have names of their own), what is assigned to it, imported as it, or put into it. What no name
leads to is filed as the rest, and a change of it counts as a change of every name. Where things stand does not matter,
only the order of what stays the same; inside of one body, of everything.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from typing import TypeAlias

import msgspec
from msgspec import Struct

from graph.extract.facts import (
    Assign,
    Attribute,
    CallExpr,
    ClassRef,
    Collection,
    Constant,
    Definition,
    Expr,
    Facts,
    FunctionRef,
    Import,
    Name,
    Parameter,
    Scope,
    Subscript,
    Union,
)
from graph.resolve.asked import CLASSES, STORES, name_number, of_file
from graph.resolve.views import ADDING_METHODS

__all__ = ["changed_names", "parts_of"]

Shape: TypeAlias = "str | int | Sequence[Shape] | None"

_UP_TO_A_LINE = frozenset({"is", "isnt", "narrow", "holds"})
_READ_BY_CLASS = frozenset({"annotation", "type"})
"""What is read of a class body without asking for the name: the fields of a dataclass, type parameters."""
_BODIES = frozenset({"module", "class"})


class _Parts(Struct, frozen=True, array_like=True, gc=False):
    """As it is kept: everything by the numbers of names."""

    rest: bytes
    names: dict[int, bytes]
    order: dict[int, list[int]]
    """By body, of the module and of each class: what is bound there in the order of lines, (name, as what, rank)."""


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(_Parts)


def parts_of(facts: Facts) -> bytes:
    """Return what others can see of a Python file, by name; equal bytes for two versions that none can tell apart."""
    return _encoder.encode(_Filing(facts).parts())


def changed_names(path: str, before: bytes, after: bytes) -> frozenset[int] | None:
    """Return the numbers of the names of a file that have something else behind them; None when that may be any."""
    try:
        old, new = _decoder.decode(before), _decoder.decode(after)
    except msgspec.MsgspecError:
        return None  # nothing was kept, or another version kept it
    if old.rest != new.rest:
        return None
    names = old.names.keys() | new.names.keys()
    changed = frozenset(name for name in names if old.names.get(name) != new.names.get(name))
    for body in old.order.keys() | new.order.keys():
        if _kept(old.order.get(body, []), changed) != _kept(new.order.get(body, []), changed):
            return None
    marks = (mark for mark in (CLASSES, STORES) if name_number(mark) in changed)
    return changed.union(name_number(of_file(mark, path)) for mark in marks)


def _kept(order: list[int], changed: frozenset[int]) -> list[tuple[int, int, int]]:
    """Return the order of the names that stayed the same, as (name, as what, rank among them)."""
    entries = zip(order[::3], order[1::3], order[2::3], strict=True)
    kept = [entry for entry in entries if entry[0] not in changed]
    ranks = {rank: number for number, rank in enumerate(sorted({entry[2] for entry in kept}))}
    return [(name, kind, ranks[rank]) for name, kind, rank in kept]


class _Filing:
    """Files everything in one pass over the facts."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._filed: dict[str, list[Shape]] = defaultdict(list)
        self._rest: list[Shape] = [facts.language, [section.anchor for section in facts.sections]]
        self._lines: list[int] = []
        """Lines met in the shape that is being made."""
        self._placed: dict[int, list[tuple[int, str, int]]] = defaultdict(list)
        """By the bodies of the module and of classes: lines, with the names that are bound there, and as what."""
        self._inside: dict[int, list[tuple[str, tuple[int, ...]]]] = defaultdict(list)
        """By function: what is bound in it by definitions and imports, and on which lines."""

    def parts(self) -> _Parts:
        for definition in self._facts.definitions:
            self._definition(definition)
        for item in self._facts.imports:
            self._import(item)
        for number, scope in enumerate(self._facts.scopes):
            self._scope(number, scope)
        self._exports()
        return _Parts(_digest(self._rest), self._digests(), self._order())

    # -- filing ---------------------------------------------------------------------------------------------------

    def _file(self, name: str, shape: Shape) -> None:
        """File a shape with the order of the lines that were met since the last one."""
        self._filed[name].append([shape, self._ranks()])

    def _definition(self, item: Definition) -> None:
        shape: Shape = [
            *(item.kind.value, item.qualname, item.ordinal, self._identity(item.owner)),
            *(self._all(item.bases), self._all(item.implements), self._all(item.decorators)),
            *(self._maybe(item.annotation), [*item.modifiers], item.exported, item.scope < 0),
        ]
        self._file(item.name, shape)
        if item.bases or item.implements:
            self._filed[CLASSES].append(shape)
        self._place(item.owner, item.name, (item.start_line, item.name_line, item.end_line), 0)

    def _import(self, item: Import) -> None:
        place: Shape = self._identity(item.scope)
        for imported in item.names:
            shape: Shape = [
                *(item.specifier, item.kind, item.level, place, item.is_conditional, item.is_type_only),
                *(imported.name, imported.alias),
            ]
            if imported.name == "*":
                self._rest.append(shape)
            else:
                self._file(imported.alias, shape)
                self._place(item.scope, imported.alias, (item.line,), 3)

    def _place(self, scope: int, name: str, lines: tuple[int, ...], kind: int) -> None:
        """Note where a name is bound, and as what: a definition and an import of one name may change places."""
        if self._facts.scopes and self._facts.scopes[scope].kind in _BODIES:
            self._placed[scope].extend((line, name, kind + place) for place, line in enumerate(lines))
        else:
            self._inside[scope].append((name, lines))

    def _scope(self, number: int, scope: Scope) -> None:
        added: list[Shape] = [self._expr(call) for call in scope.calls if _adds(call)]
        if added:
            self._file(STORES, [self._identity(number), added])
        if scope.kind in _BODIES:
            for assign in scope.assigns:
                self._assign_in_body(number, scope, assign)
        elif scope.definition >= 0:
            name = self._facts.definitions[scope.definition].name
            self._file(name, [self._identity(number), self._content(number, scope)])
            for assign in scope.assigns:
                self._assign_outwards(number, scope, assign)

    def _assign_in_body(self, number: int, scope: Scope, assign: Assign) -> None:
        shape: Shape = [self._identity(number), self._assign(assign), self._ranks()]
        if assign.how.partition(":")[0] in _UP_TO_A_LINE:
            self._rest.append(shape)  # whatever ends in the name that is tested is found without asking for it here
        for name in _names_bound(assign.target):
            self._filed[name].append(shape)
            self._place(number, name, _lines_of(assign), 4)
        if scope.kind == "class" and assign.how in _READ_BY_CLASS and scope.definition >= 0:
            self._filed[self._facts.definitions[scope.definition].name].append(shape)

    def _assign_outwards(self, number: int, scope: Scope, assign: Assign) -> None:
        """File what a body binds outside of itself: attributes, items, names of the scopes around it."""
        target = assign.target
        if isinstance(target, Name) and target.id not in scope.globals and target.id not in scope.nonlocals:
            return
        shape: Shape = [self._identity(number), self._assign(assign)]
        self._lines.clear()
        for name in _names_bound(target):
            self._filed[name].append(shape)
            if name in scope.globals:
                self._place(0, name, _lines_of(assign), 4)

    def _exports(self) -> None:
        public = self._facts.public_names
        self._rest.append(public is not None)
        for name in public or ():
            self._filed[name].append("public")
        for name, value in self._facts.exports:
            self._file(name, self._expr(value))

    # -- shapes ---------------------------------------------------------------------------------------------------

    def _identity(self, number: int) -> Shape:
        """Return what a scope is called, whatever stands above it."""
        scopes = self._facts.scopes
        while number > 0 and scopes[number].definition < 0:
            number = scopes[number].parent
        if number <= 0 or scopes[number].definition < 0:
            return None
        definition = self._facts.definitions[scopes[number].definition]
        return [definition.qualname, definition.ordinal]

    def _content(self, number: int, scope: Scope) -> Shape:
        """Return all that is read of a function, a lambda or a comprehension by whoever holds it."""
        inside: list[Shape] = []
        for name, lines in self._inside.get(number, ()):
            self._lines += lines
            inside.append(name)
        return [
            *(scope.kind, [self._parameter(item) for item in scope.parameters]),
            [self._assign(assign) for assign in scope.assigns if not _is_outwards(assign)],
            *(self._all(scope.returns), self._all(scope.yields), self._maybe(scope.return_annotation)),
            *([*scope.globals], [*scope.nonlocals], scope.is_generator, scope.is_async, inside),
            self._called_names(number),
        ]

    def _called_names(self, number: int) -> Shape:
        """Return the names that a function calls and binds as parameters, there or around it."""
        scopes = self._facts.scopes
        called = {call.function.id for call in scopes[number].calls if isinstance(call.function, Name)}
        found = set[str]()
        while called and number > 0:
            found.update(item.name for item in scopes[number].parameters if item.name in called)
            number = scopes[number].parent
        return [*sorted(found)]

    def _parameter(self, item: Parameter) -> Shape:
        return [item.name, item.kind, self._maybe(item.annotation), self._maybe(item.default)]

    def _assign(self, item: Assign) -> Shape:
        self._lines += _lines_of(item)
        how, _, detail = item.how.partition(":")
        detail = "" if how in _UP_TO_A_LINE else detail
        return [self._expr(item.target), self._expr(item.value), how, detail, item.flow]

    def _all(self, items: tuple[Expr, ...]) -> Shape:
        return [self._expr(item) for item in items] if items else ()

    def _maybe(self, item: Expr | None) -> Shape:
        return None if item is None else self._expr(item)

    def _expr(self, item: Expr) -> Shape:
        kind = type(item)  # compared, not matched: nearly all expressions are of these four kinds
        if kind is Name:
            return item.id  # type: ignore[union-attr] # just tested
        if kind is Attribute:
            return ("a", self._expr(item.base), item.name)  # type: ignore[union-attr] # just tested
        if kind is Constant:
            return ("k", item.type, item.value)  # type: ignore[union-attr] # just tested
        if kind is CallExpr:
            return self._call(item)  # type: ignore[arg-type] # just tested
        return self._rare(item)

    def _call(self, item: CallExpr) -> Shape:
        self._lines += (item.line, item.start_line)
        named: Shape = [(key, self._expr(value)) for key, value in item.keywords] if item.keywords else ()
        return ("c", self._expr(item.function), self._all(item.arguments), named, item.constructs)

    def _rare(self, item: Expr) -> Shape:
        match item:
            case Collection(type=kind, values=values, keys=keys):
                return ["l", kind, self._all(values), self._all(keys)]
            case Subscript(base=base, index=index):
                return ["s", self._expr(base), self._expr(index)]
            case FunctionRef(scope=number) | ClassRef(scope=number):
                scope = self._facts.scopes[number]
                return ["f", self._identity(number) if scope.definition >= 0 else self._content(number, scope)]
            case Union(options=options):
                return ["u", self._all(options)]
            case _:
                return None

    # -- sums -----------------------------------------------------------------------------------------------------

    def _ranks(self) -> Shape:
        """Return the order of the lines that were met, and forget them."""
        lines = self._lines
        if len(lines) < 2:
            lines.clear()
            return ()
        ranks = {line: rank for rank, line in enumerate(sorted(set(lines)))}
        order: Shape = [ranks[line] for line in lines]
        lines.clear()
        return order

    def _digests(self) -> dict[int, bytes]:
        found: dict[int, bytes] = {}
        for name in sorted(self._filed):
            number = name_number(name)
            digest = _digest([name, self._filed[name]])
            # Two names may share a number: a change of either is a change of both.
            found[number] = _digest([(found[number] + digest).hex()]) if number in found else digest
        return dict(sorted(found.items()))

    def _order(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for scope, placed in sorted(self._placed.items()):
            placed.sort(key=lambda entry: entry[0])
            ranks = {line: rank for rank, line in enumerate(dict.fromkeys(entry[0] for entry in placed))}
            kept = found.setdefault(name_number(repr(self._identity(scope))), [])
            for line, name, kind in placed:
                kept += (name_number(name), kind, ranks[line])
        return found


def _digest(shape: list[Shape]) -> bytes:
    return hashlib.blake2b(_encoder.encode(shape), digest_size=8).digest()


def _adds(call: CallExpr) -> bool:
    return isinstance(call.function, Attribute) and call.function.name in ADDING_METHODS


def _is_outwards(assign: Assign) -> bool:
    """Say whether an assignment says nothing of the names of its own scope: a type test does, whatever is tested."""
    return isinstance(assign.target, Attribute | Subscript) and assign.how.partition(":")[0] not in _UP_TO_A_LINE


def _names_bound(target: Expr) -> tuple[str, ...]:
    """Return the names under which what is assigned to a target is looked for."""
    match target:
        case Name(id=name) | Attribute(name=name):
            return (name,)
        case Subscript():
            return (STORES,)
        case _:
            return ()


def _lines_of(assign: Assign) -> tuple[int, ...]:
    how, _, detail = assign.how.partition(":")
    return (assign.line, assign.until, int(detail)) if how in _UP_TO_A_LINE else (assign.line, assign.until)
