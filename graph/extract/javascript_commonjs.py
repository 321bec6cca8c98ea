"""What a script exports without a keyword for it: CommonJS assignments, helpers of compilers, AMD and UMD modules.

An export from inside a function is written down with the scope in which its value means something: `<in>[value]`.
The name `...` stands for everything that another module exports.
"""

from __future__ import annotations

from msgspec.structs import replace

from graph.extract.facts import (
    Attribute,
    CallExpr,
    ClassRef,
    Collection,
    Constant,
    Expr,
    FunctionRef,
    Import,
    ImportedName,
    Name,
    Subscript,
)
from graph.extract.javascript_walk import Walk

__all__ = ["amd_module", "common_export", "export_by_call"]

_IN = Name("<in>")
_THIS = Name("this")
_COPYING = frozenset({"__exportStar", "__export", "_exportStar", "_export_star", "__reExport"})
"""What compilers put in the place of `export * from`: (module, exports), in either order."""

_AMD_WORDS = frozenset({"require", "exports", "module"})


def common_export(walk: Walk, target: Expr, value: Expr) -> None:
    """Record `exports.x = v`, `module.exports.x = v`, `module.exports = v` (and, for an object, each of its names)."""
    match target:
        case Attribute(base=Name(id="module"), name="exports"):
            walk.exports.append(("=", _here(walk, value)))
            if isinstance(value, Collection):
                for key, item in zip(value.keys, value.values, strict=False):
                    if isinstance(key, Constant) and key.type == "str" and key.value:
                        walk.exports.append((key.value, _here(walk, item)))
        case Attribute(base=base, name=name) if _is_exports(base) or (base == _THIS and walk.current == 0):
            walk.exports.append((name, _here(walk, value)))
        case Subscript(base=base, index=Name() as key) if _is_exports(base):
            _export_copied(walk, key, value)
        case _:
            pass


def _is_exports(expr: Expr) -> bool:
    match expr:
        case Name(id="exports") | Attribute(base=Name(id="module"), name="exports"):
            return True
        case _:
            return False


def _here(walk: Walk, value: Expr) -> Expr:
    if walk.current == 0 or isinstance(value, FunctionRef | ClassRef | Constant):
        return value
    return Subscript(_IN, Collection("in", (value,), scope=walk.current))


def _export_copied(walk: Walk, key: Name, value: Expr) -> None:
    """Record `exports[key] = other[key]`, which a loop over the names of another module does."""
    if isinstance(value, Subscript) and value.index == key:
        walk.exports.append(("...", _here(walk, value.base)))


def export_by_call(walk: Walk, function: Expr, arguments: tuple[Expr, ...]) -> None:
    """Record what a call exports: `__exportStar(m, exports)`, `Object.assign(exports, m)`, `defineProperty`."""
    name = function.name if isinstance(function, Attribute) else function.id if isinstance(function, Name) else ""
    if name in _COPYING:
        for source in arguments:
            if not _is_exports(source) and not isinstance(source, Constant):
                walk.exports.append(("...", _here(walk, source)))
        return
    match function, arguments:
        case Attribute(base=Name(id="Object"), name="assign"), (target, *sources) if _is_exports(target):
            for source in sources:
                walk.exports.append(("...", _here(walk, source)))
        case Attribute(base=Name(id="Object" | "Reflect"), name="defineProperty"), (target, key, Collection() as how):
            if _is_exports(target):
                _export_described(walk, key, how)
        case _:
            pass


def _export_described(walk: Walk, key: Expr, how: Collection) -> None:
    for part, value in zip(how.keys, how.values, strict=False):
        if not isinstance(part, Constant) or part.value not in {"value", "get"}:
            continue
        if isinstance(key, Constant) and key.type == "str" and key.value:
            given = CallExpr(value, 0) if part.value == "get" else value
            walk.exports.append((key.value, _here(walk, given)))
        elif isinstance(key, Name) and isinstance(value, FunctionRef):
            scope = walk.scopes[value.scope]
            for result in scope.returns:
                _export_copied(walk, key, result)


def amd_module(walk: Walk, function: Name, arguments: tuple[Expr, ...], line: int) -> None:
    """Record `define(["m"], function (m) { return ...; })`: its parameters are modules, its result is the module."""
    factory = arguments[-1] if arguments else None
    listed = next((item for item in arguments[:-1] if isinstance(item, Collection) and item.type == "list"), None)
    if isinstance(factory, FunctionRef) and listed is not None:
        _bind_modules(walk, factory.scope, listed, line)
    if function.id != "define" or factory is None or (isinstance(factory, Constant) and factory.type != "template"):
        return
    value = factory if isinstance(factory, Collection) else CallExpr(factory, 0)
    walk.exports.append(("=", _here(walk, value)))


def _bind_modules(walk: Walk, scope: int, listed: Collection, line: int) -> None:
    parameters = walk.scopes[scope].parameters
    for place, item in enumerate(listed.values):
        specifier = item.value if isinstance(item, Constant) and item.type == "str" else ""
        if not specifier or specifier in _AMD_WORDS:
            continue
        alias = parameters[place].name if place < len(parameters) else ""
        if alias:
            parameters[place] = replace(parameters[place], name="")  # the import binds it
        names = (ImportedName("", alias),) if alias else ()
        walk.imports.append(
            Import(specifier, "require", line, names, scope=scope, is_conditional=scope != 0, end_line=line)
        )
