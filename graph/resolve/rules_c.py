"""The rules of C and C++: what an include leads to, and what it makes visible."""

# ruff: noqa: D102 - the hooks are described once, in `LanguageRules`
from __future__ import annotations

from typing import TYPE_CHECKING

from graph.extract.facts import CallExpr, Import
from graph.resolve.languages import ModuleTarget, NoRules
from graph.resolve.modules_c import CModules
from graph.resolve.values import External, Module, Values

if TYPE_CHECKING:
    from graph.resolve.core import EvaluatorCore
    from graph.resolve.views import FileView
    from graph.resolve.world import World

__all__ = ["C_RULES", "CRules"]


class CRules(NoRules):
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

    def module_member(self, evaluator: EvaluatorCore, path: str, name: str) -> Values:
        return evaluator.module_name(path, name)

    def external_call(self, evaluator: EvaluatorCore, name: str, call: CallExpr, view: FileView, scope: int) -> Values:
        del evaluator, call, view, scope
        return (External(f"{name}()"),)


C_RULES = CRules()
