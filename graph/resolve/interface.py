"""The digest of what other files can observe of one file.

Left out: what only the file itself shows (documentation, markers, most calls and mentions in its bodies) and where
things stand, as long as their order stays the same. Kept: names, signatures, bases, assignments, returns and whatever
else the evaluator reads of a file while it resolves another one. For a file of Python all of this is also kept by name.
"""

from __future__ import annotations

import hashlib
from typing import TypeAlias

import msgspec
from msgspec import Struct

from graph.extract.facts import (
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
from graph.resolve.interface_parts import parts_of

__all__ = ["Interface", "interface_digest", "interface_of"]

Shape: TypeAlias = "str | int | list[Shape] | None"

_UP_TO_A_LINE = frozenset({"is", "isnt", "narrow", "holds"})
"""What an assignment says of its target up to a line: where that stands does not matter, only its order."""

_ENCODER = msgspec.msgpack.Encoder()


class Interface(Struct, frozen=True):
    """What others can see of a file, in sum and, for a file of Python, by name."""

    digest: str
    parts: bytes = b""
    """See `graph.resolve.interface_parts`; empty where only the sum is known."""


def interface_digest(facts: Facts) -> str:
    """Return a digest that is equal for two versions of a file which no other file can tell apart."""
    return interface_of(facts).digest


def interface_of(facts: Facts) -> Interface:
    """Return what others can see of a file."""
    if facts.language == "python":
        parts = parts_of(facts)
        return Interface(hashlib.blake2b(parts, digest_size=16).hexdigest(), parts)
    return Interface(_digest(facts))


def _digest(facts: Facts) -> str:
    lines: list[int] = []
    shape: Shape = [
        facts.language,
        [_definition(item, lines) for item in facts.definitions],
        [_import(item, lines) for item in facts.imports],
        [_scope(item, lines) for item in facts.scopes],
        # Scripts define members and exports by calls, and any of them may be read from elsewhere.
        [_all(item.calls, lines) for item in facts.scopes],
        [[name, _expr(value, lines)] for name, value in facts.exports],
        None if facts.public_names is None else list(facts.public_names),
        [[section.anchor] for section in facts.sections],
    ]
    ranks = {line: rank for rank, line in enumerate(sorted(set(lines)))}
    order: Shape = [ranks[line] for line in lines]
    return hashlib.blake2b(_ENCODER.encode([shape, order]), digest_size=16).hexdigest()


def _definition(item: Definition, lines: list[int]) -> Shape:
    lines += (item.start_line, item.name_line, item.end_line)
    return [
        item.kind.value,
        item.qualname,
        item.ordinal,
        item.scope,
        item.owner,
        _all(item.bases, lines),
        _all(item.implements, lines),
        _all(item.decorators, lines),
        _maybe(item.annotation, lines),
        list(item.modifiers),
        item.exported,
    ]


def _import(item: Import, lines: list[int]) -> Shape:
    lines.append(item.line)
    names: Shape = [[imported.name, imported.alias] for imported in item.names]
    return [item.specifier, item.kind, item.level, item.scope, item.is_conditional, item.is_type_only, names]


def _scope(scope: Scope, lines: list[int]) -> Shape:
    assigns: list[Shape] = []
    for assign in scope.assigns:
        lines += (assign.line, assign.until)
        how, _, detail = assign.how.partition(":")
        if how in _UP_TO_A_LINE:
            lines.append(int(detail))
            detail = ""
        assigns.append([_expr(assign.target, lines), _expr(assign.value, lines), f"{how}:{detail}", assign.flow])
    return [
        scope.kind,
        scope.parent,
        scope.definition,
        [_parameter(item, lines) for item in scope.parameters],
        assigns,
        _all(scope.returns, lines),
        _all(scope.yields, lines),
        list(scope.globals),
        list(scope.nonlocals),
        _maybe(scope.return_annotation, lines),
        scope.is_generator,
        scope.is_async,
    ]


def _parameter(item: Parameter, lines: list[int]) -> Shape:
    return [item.name, item.kind, _maybe(item.annotation, lines), _maybe(item.default, lines)]


def _all(items: tuple[Expr, ...], lines: list[int]) -> Shape:
    return [_expr(item, lines) for item in items]


def _maybe(item: Expr | None, lines: list[int]) -> Shape:
    return None if item is None else _expr(item, lines)


def _expr(item: Expr, lines: list[int]) -> Shape:
    match item:
        case Name(id=name):
            return name
        case Attribute(base=base, name=name):
            return ["a", _expr(base, lines), name]
        case CallExpr(function=function, line=line, arguments=arguments, keywords=keywords, constructs=constructs):
            lines.append(line)
            named: Shape = [[key, _expr(value, lines)] for key, value in keywords]
            return ["c", _expr(function, lines), _all(arguments, lines), named, constructs]
        case Constant(type=kind, value=value):
            return ["k", kind, value]
        case Collection(type=kind, values=values, keys=keys, scope=scope):
            # Two literals of a script differ in what `this` means in their functions, though they read alike.
            return ["l", kind, _all(values, lines), _all(keys, lines), scope]
        case Subscript(base=base, index=index):
            return ["s", _expr(base, lines), _expr(index, lines)]
        case FunctionRef(scope=scope):
            return ["f", scope]
        case ClassRef(scope=scope):
            return ["C", scope]
        case Union(options=options):
            return ["u", _all(options, lines)]
        case _:
            return None
