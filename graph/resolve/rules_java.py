"""The rules of Java: where types live, what an import binds, and what the language provides."""

# ruff: noqa: D102 - the hooks are described once, in `LanguageRules`
from __future__ import annotations

from typing import TYPE_CHECKING

from graph.extract.facts import CallExpr, Constant, Facts, Import
from graph.resolve.core import union
from graph.resolve.languages import ModuleTarget, NoRules
from graph.resolve.library_java import CONTAINERS, LANGUAGE_TYPES, MAPS, PRIMITIVES, RESULTS
from graph.resolve.modules_java import JavaModules
from graph.resolve.values import Elements, External, Module, Values

if TYPE_CHECKING:
    from graph.resolve.core import EvaluatorCore
    from graph.resolve.views import FileView
    from graph.resolve.world import World

__all__ = ["JAVA_RULES", "JavaRules", "package_of"]


def package_of(facts: Facts) -> str:
    """Return the package that a file belongs to, empty for the one without a name."""
    return next((value.value for name, value in facts.exports if name == "package" and isinstance(value, Constant)), "")


class JavaRules(NoRules):
    """See `LanguageRules`."""

    self_names: frozenset[str] = frozenset({"this"})
    first_parameter_is_self = False
    class_bodies_are_scopes = True
    strings_are_types = False
    constructor_names: tuple[str, ...] = ()
    call_name = ""

    def modules(self, world: World) -> JavaModules:
        """Return the index of types."""
        return world.index("java", lambda found: JavaModules(found.paths()))

    def import_target(self, world: World, path: str, item: Import) -> ModuleTarget:
        modules = self.modules(world)
        if item.kind == "requires":
            return ModuleTarget(External(item.specifier))
        found = modules.resolve(path, item.specifier)
        listens = modules.signals(item.specifier)
        if found is None:
            return ModuleTarget(External(item.specifier), listens)
        return ModuleTarget(Module(found.path), (*listens, found.path))

    def imported_value(self, evaluator: EvaluatorCore, view: FileView, item: Import, name: str) -> Values:
        del name
        return self.named(evaluator, view, item.specifier) or (External(item.specifier),)

    def named(self, evaluator: EvaluatorCore, view: FileView, dotted: str) -> Values:
        """Return what a dotted name means: a type, or a member of one; nothing when it lies outside."""
        modules = self.modules(evaluator.world)
        evaluator.listen(modules.signals(dotted))
        found = modules.resolve(view.path, dotted)
        if found is None:
            return ()
        values: Values = evaluator.module_name(found.path, found.inside[0])
        for part in found.inside[1:]:
            values = union(evaluator.attribute(value, part) for value in values)
        return values

    def star_value(self, evaluator: EvaluatorCore, view: FileView, item: Import, name: str) -> Values:
        return self.named(evaluator, view, f"{item.specifier}.{name}")

    def module_member(self, evaluator: EvaluatorCore, path: str, name: str) -> Values:
        return evaluator.module_name(path, name)

    def builtin(self, name: str) -> Values:
        return (External(name),) if name in PRIMITIVES or name in LANGUAGE_TYPES or name == "[]" else ()

    def external_call(self, evaluator: EvaluatorCore, name: str, call: CallExpr, view: FileView, scope: int) -> Values:
        del evaluator, call, view, scope
        result = "String" if name == "String.valueOf" else RESULTS.get(name.rpartition(".")[2])
        return (External(f"{result or name}()"),)

    def external_type(self, evaluator: EvaluatorCore, name: str, arguments: tuple[Values, ...]) -> Values | None:
        del evaluator
        first = arguments[0] if arguments else ()
        last = name.rpartition(".")[2]
        if last in MAPS:
            return (Elements("dict", first, arguments[1] if len(arguments) > 1 else ()),)
        if last in CONTAINERS or name == "[]":
            return (Elements("list", first),)
        return None


JAVA_RULES = JavaRules()
