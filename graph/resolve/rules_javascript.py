"""The rules of JavaScript and TypeScript: modules, what the language provides, and what its functions hand on."""

# ruff: noqa: D102 - the hooks are described once, in `LanguageRules`
from __future__ import annotations

from typing import TYPE_CHECKING

from graph.extract.facts import CallExpr, Expr, Import
from graph.extract.facts import Constant as ConstantExpr
from graph.resolve.core import union
from graph.resolve.languages import ModuleTarget
from graph.resolve.library_javascript import (
    CALLING,
    COMPONENT_WRAPPERS,
    GLOBALS,
    LAZY_COMPONENTS,
    LISTS,
    MAPS,
    PASSING_FIRST,
    TIMERS,
    TRANSPARENT,
)
from graph.resolve.modules_javascript import ScriptModules
from graph.resolve.values import Constant, Elements, External, Literal, Module, Package, Shape, Value, Values

if TYPE_CHECKING:
    from graph.resolve.core import EvaluatorCore
    from graph.resolve.evaluator_javascript import ScriptEvaluator
    from graph.resolve.views import FileView
    from graph.resolve.world import World

__all__ = ["SCRIPT_RULES", "ScriptRules"]


class ScriptRules:
    """See `LanguageRules`."""

    self_names: frozenset[str] = frozenset({"this"})
    first_parameter_is_self = False
    class_bodies_are_scopes = False
    strings_are_types = False
    constructor_names: tuple[str, ...] = ("constructor",)
    call_name = ""

    # -- modules --------------------------------------------------------------------------------------------------

    def modules(self, world: World) -> ScriptModules:
        """Return the index of modules."""
        return world.index("javascript", lambda found: ScriptModules(found.paths(), found.config_text))

    def import_target(self, world: World, path: str, item: Import) -> ModuleTarget:
        found = self.modules(world).resolve(path, item.specifier)
        if found.path is not None:
            return ModuleTarget(Module(found.path), found.listens)
        return ModuleTarget(External(item.specifier) if found.is_external else None, found.listens)

    def imported_value(self, evaluator: EvaluatorCore, view: FileView, item: Import, name: str) -> Values:
        from graph.resolve.exports_javascript import exported, module_value

        target = self.import_target(evaluator.world, view.path, item)
        evaluator.listen(target.listens)
        scripts = _scripts(evaluator)
        match target.value:
            case Module(path=path) as module:
                if not name:
                    return module_value(scripts, module) if item.kind == "require" else (module,)
                return exported(scripts, path, name)
            case External(name=outer):
                return (External(f"{outer}.{name}" if name not in ("", "default") else outer),)
            case _:
                return ()

    def star_value(self, evaluator: EvaluatorCore, view: FileView, item: Import, name: str) -> Values:
        del evaluator, view, item, name
        return ()

    def module_member(self, evaluator: EvaluatorCore, path: str, name: str) -> Values:
        from graph.resolve.exports_javascript import exported

        return exported(_scripts(evaluator), path, name)

    def package_member(self, evaluator: EvaluatorCore, folder: str, name: str) -> Values:
        del evaluator, folder, name
        return ()

    def submodule(self, evaluator: EvaluatorCore, module: Module | Package, name: str) -> str | None:
        del evaluator, module, name
        return None

    # -- what comes with the language ------------------------------------------------------------------------------

    def builtin(self, name: str) -> Values:
        return (External(name),) if name in GLOBALS else ()

    def external_call(self, evaluator: EvaluatorCore, name: str, call: CallExpr, view: FileView, scope: int) -> Values:
        def argument(place: int) -> Values:
            if place >= len(call.arguments):
                return ()
            return evaluator.evaluate(view, scope, call.arguments[place], call.line)

        if name in ("require", "import"):
            return self._loaded(evaluator, call, view)
        if name in PASSING_FIRST or name in COMPONENT_WRAPPERS:
            return argument(0) or (External(f"{name}()"),)
        match name:
            case "Promise" | "Object.create" if call.arguments:
                return self._made(_scripts(evaluator), name, call, view, scope)
            case "Object.assign":
                return union(argument(place) for place in range(min(len(call.arguments), 6)))
            case "Object.values":
                return (Elements("list", union(_values(evaluator, value) for value in argument(0))),)
            case "Object.entries":
                held = union(_values(evaluator, value) for value in argument(0))
                return (Elements("list", tuple(Elements("tuple", (Constant("str", ""), value)) for value in held)),)
            case "Object.keys":
                return (Elements("list", (Constant("str", ""),)),)
            case "Array.from" | "Array.of" | "Set" | "Array" | "Map" | "WeakMap" | "WeakSet":
                return _scripts(evaluator).container(view, scope, call, name)
            case "Promise.race" | "Promise.any":
                return union(evaluator.elements(value) for value in argument(0))
            case _:
                then = name.endswith(".then")
                is_lazy = name in LAZY_COMPONENTS
                known = _scripts(evaluator).callback_results(call, view, scope) if then or is_lazy else ()
                if is_lazy:
                    known = union(evaluator.attribute(value, "default") for value in known)
                return known or (External(f"{name}()"),)

    def _made(self, scripts: ScriptEvaluator, name: str, call: CallExpr, view: FileView, scope: int) -> Values:
        if name == "Promise":
            return scripts.promised_by(view, scope, call) or (External("Promise()"),)
        prototype = scripts.evaluate(view, scope, call.arguments[0], call.line)
        return union([scripts.made_from(view, scope, call), prototype])

    def _loaded(self, evaluator: EvaluatorCore, call: CallExpr, view: FileView) -> Values:
        from graph.resolve.exports_javascript import module_value

        specifier = call.arguments[0] if call.arguments else None
        if not isinstance(specifier, ConstantExpr) or not specifier.value:
            return ()
        is_required = getattr(call.function, "id", "") == "require"
        item = Import(specifier.value, "require" if is_required else "dynamic", call.line)
        target = self.import_target(evaluator.world, view.path, item)
        evaluator.listen(target.listens)
        if isinstance(target.value, Module | External):
            return module_value(_scripts(evaluator), target.value) if is_required else (target.value,)
        return ()

    def callbacks(self, name: str, call: CallExpr) -> tuple[Expr, ...]:
        last = name.rsplit(".", 1)[-1]
        if last in TIMERS or name in ("Promise", "Reflect.apply"):
            return call.arguments[:1]
        if last in CALLING:
            return call.arguments[:2] if last == "then" else call.arguments[:1]
        if name in ("Array.from", "JSON.parse", "JSON.stringify"):
            return call.arguments[1:2]
        return ()

    def special_calls(self, evaluator: EvaluatorCore, value: Value, how: str) -> Values:
        return _scripts(evaluator).iterating(value) if how == "iterate" else ()

    def external_type(self, evaluator: EvaluatorCore, name: str, arguments: tuple[Values, ...]) -> Values | None:
        first = arguments[0] if arguments else ()
        if name in TRANSPARENT:
            return first
        if name in LISTS:
            return (Elements("list", first),)
        if name in MAPS:
            return (Elements("dict", first, arguments[1] if len(arguments) > 1 else ()),)
        if name == "tuple":
            return (Elements("tuple", tuple(group[0] if group else External("?") for group in arguments)),)
        if name in ("ReturnType", "InstanceType"):
            scripts = _scripts(evaluator)
            return scripts.made_by(first)
        return (External(f"{name}()"),)


def _scripts(evaluator: EvaluatorCore) -> ScriptEvaluator:
    from graph.resolve.evaluator_javascript import ScriptEvaluator

    if not isinstance(evaluator, ScriptEvaluator):
        raise TypeError(type(evaluator).__name__)
    return evaluator


def _values(evaluator: EvaluatorCore, value: Value) -> Values:
    if isinstance(value, Elements) and value.kind != "dict":
        return evaluator.elements(value)
    return evaluator.item(value, ()) if isinstance(value, Elements | Literal | Shape) else ()


SCRIPT_RULES = ScriptRules()
