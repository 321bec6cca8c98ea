"""The rules of Rust: paths of modules and crates, what the language provides, and the types of its library."""

# ruff: noqa: D102 - the hooks are described once, in `LanguageRules`
from __future__ import annotations

from typing import TYPE_CHECKING

from graph.extract.facts import CallExpr, Import
from graph.resolve.languages import ModuleTarget, NoRules
from graph.resolve.library_rust import CRATES, LISTS, MAPS, PRELUDE, TRANSPARENT
from graph.resolve.modules_rust import RustModules
from graph.resolve.values import Elements, External, Module, Returning, Values

if TYPE_CHECKING:
    from graph.resolve.core import EvaluatorCore
    from graph.resolve.evaluator_rust import RustEvaluator
    from graph.resolve.views import FileView
    from graph.resolve.world import World

__all__ = ["RUST_RULES", "RustRules"]


class RustRules(NoRules):
    """See `LanguageRules`."""

    self_names: frozenset[str] = frozenset()
    first_parameter_is_self = True
    class_bodies_are_scopes = False
    strings_are_types = False
    constructor_names: tuple[str, ...] = ()
    call_name = ""

    def modules(self, world: World) -> RustModules:
        """Return the index of modules."""
        return world.index("rust", RustModules)

    def import_target(self, world: World, path: str, item: Import) -> ModuleTarget:
        """Return the file of `mod x;`; where a `use` leads is for the evaluator to say, since it passes re-exports."""
        if item.kind != "declare":
            return ModuleTarget(None)
        modules, view = self.modules(world), world.view(path)
        found = modules.declared(view, item)
        return ModuleTarget(
            Module(found) if found is not None else None, (*modules.candidates(view, item), *modules.listens(path))
        )

    def imported_value(self, evaluator: EvaluatorCore, view: FileView, item: Import, name: str) -> Values:
        return _rust(evaluator).imported(view, item, name)

    def star_value(self, evaluator: EvaluatorCore, view: FileView, item: Import, name: str) -> Values:
        return _rust(evaluator).imported(view, item, name)

    def module_member(self, evaluator: EvaluatorCore, path: str, name: str) -> Values:
        return _rust(evaluator).in_module(path, 0, name)

    def builtin(self, name: str) -> Values:
        return (External(name),) if name in PRELUDE or name in CRATES or name.endswith("!") else ()

    def external_call(self, evaluator: EvaluatorCore, name: str, call: CallExpr, view: FileView, scope: int) -> Values:
        parts = name.rsplit("::", 2)
        owner = parts[-2] if len(parts) > 1 else ""
        if (owner in TRANSPARENT or parts[-1] in TRANSPARENT) and call.arguments:
            return evaluator.evaluate(view, scope, call.arguments[0], call.line)
        return (External(f"{name}()"),)

    def external_type(self, evaluator: EvaluatorCore, name: str, arguments: tuple[Values, ...]) -> Values | None:
        del evaluator
        last = name.rsplit("::", 1)[-1]
        first = arguments[0] if arguments else ()
        if last in TRANSPARENT:
            return first
        if last in LISTS:
            return (Elements("list", first),)
        if last in MAPS:
            return (Elements("dict", first, arguments[1] if len(arguments) > 1 else ()),)
        if last == "fn" or last in ("Fn", "FnMut", "FnOnce"):
            result = arguments[1] if len(arguments) > 1 else ()
            taken = first[0].items if first and isinstance(first[0], Elements) else ()
            return (Returning(result, taken),)
        return None


def _rust(evaluator: EvaluatorCore) -> RustEvaluator:
    from graph.resolve.evaluator_rust import RustEvaluator

    if not isinstance(evaluator, RustEvaluator):
        raise TypeError(type(evaluator).__name__)
    return evaluator


RUST_RULES = RustRules()
