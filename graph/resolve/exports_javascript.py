"""What a JavaScript module gives to others, as values and as types: exports, re-exports, `export *`, CommonJS."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graph.extract.facts import Attribute, Import, Name
from graph.model import NodeKind
from graph.resolve.core import union
from graph.resolve.values import External, Instance, Module, Values
from graph.resolve.views_javascript import ScriptView

if TYPE_CHECKING:
    from graph.resolve.types_javascript import ScriptTypes

__all__ = ["exported", "exported_type", "module_value", "target_of_import"]

_TYPE_KINDS = frozenset({NodeKind.CLASS, NodeKind.INTERFACE, NodeKind.ENUM, NodeKind.TYPE})


def target_of_import(evaluator: ScriptTypes, view: ScriptView, item: Import) -> Module | External | None:
    """Return the module that an import leads to, and listen for what would change that."""
    target = evaluator.rules(view).import_target(evaluator.world, view.path, item)
    evaluator.listen(target.listens)
    return target.value if isinstance(target.value, Module | External) else None


def module_value(evaluator: ScriptTypes, module: Module | External) -> Values:
    """Return what `require` gives: what the module put in its own place, else the module."""
    if isinstance(module, External):
        return (module,)
    view = evaluator.script(module.path)
    own = view.exports.get("=", [])
    if not own:
        return (module,)
    key = ("module value", module.path)
    values = evaluator.guarded(key, lambda: union(evaluator.evaluate(view, 0, expr, 0) for expr in own))
    return union([values, (module,)])


def exported(evaluator: ScriptTypes, path: str, name: str) -> Values:
    """Return what other files see as `name` of a module; `default` and the whole of a CommonJS module included."""
    return evaluator.guarded(("export", path, name), lambda: _exported(evaluator, path, name))


def _exported(evaluator: ScriptTypes, path: str, name: str) -> Values:
    view = evaluator.script(path)
    explicit = view.exports.get(name, [])
    if explicit:
        found = union(evaluator.evaluate(view, 0, expr, 0) for expr in explicit)
        if found:
            return found
    if name != "default" and name in view.exported and (found := evaluator.module_name(path, name)):
        return found
    if name in view.reexports:
        item, imported = view.reexports[name]
        target = target_of_import(evaluator, view, item)
        return _part(evaluator, target, imported.name)
    found = _from_stars(evaluator, view, name) if name != "default" else ()
    return found or _of_whole(evaluator, view, name) or _copied(evaluator, view, name)


def _copied(evaluator: ScriptTypes, view: ScriptView, name: str) -> Values:
    """Return an export that was copied from another module or object: `Object.assign(exports, other)`."""
    sources = view.exports.get("...", []) if name != "default" else []
    values = union(evaluator.evaluate(view, 0, expr, 0) for expr in sources)
    return union(evaluator.attribute(value, name) for value in values if value != Module(view.path))


def _from_stars(evaluator: ScriptTypes, view: ScriptView, name: str) -> Values:
    for item in view.export_stars:
        found = _part(evaluator, target_of_import(evaluator, view, item), name)
        if found and not isinstance(found[0], External):
            return found
    return ()


def _part(evaluator: ScriptTypes, target: Module | External | None, name: str) -> Values:
    match target:
        case Module(path=path):
            return exported(evaluator, path, name) if name else (target,)
        case External(name=outer):
            return (External(f"{outer}.{name}" if name else outer),)
        case _:
            return ()


def _of_whole(evaluator: ScriptTypes, view: ScriptView, name: str) -> Values:
    """Return a member of what the module put in its own place; its default is that itself."""
    own = view.exports.get("=", [])
    if name == "default":
        is_common = own or not _is_es_module(view)
        return module_value(evaluator, Module(view.path)) if is_common else ()
    if not own:
        return ()
    wholes = union(evaluator.evaluate(view, 0, expr, 0) for expr in own)
    return union(evaluator.attribute(value, name) for value in wholes if value != Module(view.path))


def _is_es_module(view: ScriptView) -> bool:
    return any(item.kind in ("names", "module", "reexport") for item in view.facts.imports) or any(
        item.exported for item in view.facts.definitions if item.owner == 0
    )


def exported_type(evaluator: ScriptTypes, path: str, name: str) -> Values:
    """Return what a thing is whose type is the export `name` of a module."""
    return evaluator.guarded(("export type", path, name), lambda: _exported_type(evaluator, path, name))


def _exported_type(evaluator: ScriptTypes, path: str, name: str) -> Values:
    view = evaluator.script(path)
    for public, expr in view.facts.exports:
        if public in (name, "=" if name == "default" else name) and isinstance(expr, Name | Attribute):
            found = evaluator.open_types(view, 0, expr, 0)
            if found:
                return found
        elif public == name and name == "default":
            return union(_instances(evaluator, evaluator.evaluate(view, 0, expr, 0)))
    if any(item.name == name and item.owner == 0 and item.kind in _TYPE_KINDS for item in view.facts.definitions):
        return evaluator.open_types(view, 0, Name(name), 0)
    if name in view.reexports:
        item, imported = view.reexports[name]
        target = target_of_import(evaluator, view, item)
        if isinstance(target, Module):
            return exported_type(evaluator, target.path, imported.name) if imported.name else (target,)
        return ()
    for item in view.export_stars:
        target = target_of_import(evaluator, view, item)
        if isinstance(target, Module) and (found := exported_type(evaluator, target.path, name)):
            return found
    return ()


def _instances(evaluator: ScriptTypes, values: Values) -> list[Values]:
    return [(Instance(item.path, item.index),) for item in evaluator.classes(values)]
