"""The rules of C and C++: what an include leads to, and what it makes visible."""

# ruff: noqa: D102 - the hooks are described once, in `LanguageRules`
from __future__ import annotations

from typing import TYPE_CHECKING

from graph.extract.facts import CallExpr, Expr, Import
from graph.resolve.languages import ModuleTarget
from graph.resolve.modules_c import CModules
from graph.resolve.values import External, Module, Package, Value, Values

if TYPE_CHECKING:
    from graph.resolve.core import EvaluatorCore
    from graph.resolve.views import FileView
    from graph.resolve.world import World

__all__ = ["C_RULES", "CRules"]


class CRules:
    """See `LanguageRules`."""

    self_names: frozenset[str] = frozenset({"this"})
    first_parameter_is_self = False
    class_bodies_are_scopes = False
    strings_are_types = False
    constructor_names: tuple[str, ...] = ()
    call_name = ""

    def modules(self, world: World) -> CModules:
        """Return the index of headers and sources."""
        return world.index("c", lambda found: CModules(found.paths(), found.config_text))

    def import_target(self, world: World, path: str, item: Import) -> ModuleTarget:
        if item.kind == "using":  # names a namespace, which is no file
            return ModuleTarget(None)
        modules = self.modules(world)
        found = modules.resolve(path, item.specifier, is_system=item.kind == "system")
        listens = modules.signals(item.specifier)
        if found is None:
            return ModuleTarget(External(item.specifier), listens)
        return ModuleTarget(Module(found), (*listens, found))

    def imported_value(self, evaluator: EvaluatorCore, view: FileView, item: Import, name: str) -> Values:
        del evaluator, view, item, name
        return ()

    def star_value(self, evaluator: EvaluatorCore, view: FileView, item: Import, name: str) -> Values:
        del evaluator, view, item, name
        return ()

    def module_member(self, evaluator: EvaluatorCore, path: str, name: str) -> Values:
        return evaluator.module_name(path, name)

    def package_member(self, evaluator: EvaluatorCore, folder: str, name: str) -> Values:
        del evaluator, folder, name
        return ()

    def submodule(self, evaluator: EvaluatorCore, module: Module | Package, name: str) -> str | None:
        del evaluator, module, name
        return None

    def builtin(self, name: str) -> Values:
        del name
        return ()

    def external_call(self, evaluator: EvaluatorCore, name: str, call: CallExpr, view: FileView, scope: int) -> Values:
        del evaluator, call, view, scope
        return (External(f"{name}()"),)

    def callbacks(self, name: str, call: CallExpr) -> tuple[Expr, ...]:
        del name, call
        return ()

    def special_calls(self, evaluator: EvaluatorCore, value: Value, how: str) -> Values:
        del evaluator, value, how
        return ()

    def external_type(self, evaluator: EvaluatorCore, name: str, arguments: tuple[Values, ...]) -> Values | None:
        del evaluator, name, arguments
        return None


C_RULES = CRules()
