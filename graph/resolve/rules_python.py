"""The rules of Python: modules, packages, and what an import of them binds."""

# ruff: noqa: D102 - each method is described once, in `LanguageRules`
from __future__ import annotations

from typing import TYPE_CHECKING

from graph.extract.facts import CallExpr, Expr, Import, Name
from graph.resolve.bindings import Binding
from graph.resolve.core import EvaluatorCore, union
from graph.resolve.languages import ModuleTarget
from graph.resolve.library_python import PythonLibrary
from graph.resolve.modules_python import PythonModules
from graph.resolve.values import (
    Constant,
    External,
    Module,
    Package,
    Values,
)

if TYPE_CHECKING:
    from graph.resolve.views import FileView
    from graph.resolve.world import World

__all__ = ["PYTHON_RULES", "PythonRules"]


class PythonRules(PythonLibrary):
    """See `LanguageRules`."""

    self_names: frozenset[str] = frozenset()
    first_parameter_is_self = True
    class_bodies_are_scopes = True
    strings_are_types = True
    constructor_names: tuple[str, ...] = ("__init__", "__new__")
    call_name = "__call__"

    # -- modules --------------------------------------------------------------------------------------------------

    def modules(self, world: World) -> PythonModules:
        """Return the index of modules."""
        return world.index("python", lambda found: PythonModules(found.paths()))

    def import_target(self, world: World, path: str, item: Import) -> ModuleTarget:
        modules = self.modules(world)
        if item.level:
            found = modules.relative(path, item.specifier, item.level)
            listens = modules.signals(item.specifier) if item.specifier else modules.package_files(path, item.level)
            return ModuleTarget(_module(found), listens)
        found = modules.absolute(path, item.specifier)
        value = _module(found) or External(item.specifier)
        return ModuleTarget(value, modules.signals(item.specifier))

    def imported_value(self, evaluator: EvaluatorCore, view: FileView, item: Import, name: str) -> Values:
        if not name:
            return self._module_value(evaluator, view, item)
        target = self.import_target(evaluator.world, view.path, item)
        evaluator.listen(target.listens)
        return evaluator.attribute(target.value, name) if target.value is not None else ()

    def _module_value(self, evaluator: EvaluatorCore, view: FileView, item: Import) -> Values:
        """Return what `import a.b` binds (`a`), or `import a.b as c` (`a.b`)."""
        top, dot, _ = item.specifier.partition(".")
        if dot and item.names[0].alias == top:
            item = Import(specifier=top, kind=item.kind, line=item.line, scope=item.scope)
        target = self.import_target(evaluator.world, view.path, item)
        evaluator.listen(target.listens)
        return (target.value,) if target.value is not None else ()

    def star_value(self, evaluator: EvaluatorCore, view: FileView, item: Import, name: str) -> Values:
        target = self.import_target(evaluator.world, view.path, item)
        evaluator.listen(target.listens)
        if not isinstance(target.value, Module):
            return ()
        other = evaluator.view(target.value.path)
        other.asked.add(name)
        public = other.facts.public_names
        if name not in public if public is not None else name.startswith("_"):
            return ()
        return evaluator.attribute(target.value, name)

    def module_member(self, evaluator: EvaluatorCore, path: str, name: str) -> Values:
        found = evaluator.module_name(path, name)
        if found:
            return found
        modules = self.modules(evaluator.world)
        below = modules.below(path, name)
        evaluator.listen(modules.signals(name))
        value = _module(below)
        return (value,) if value is not None else self._fetched(evaluator, path, name)

    def _fetched(self, evaluator: EvaluatorCore, path: str, name: str) -> Values:
        """Return what the `__getattr__` of a module imports under a name that the module does not bind."""
        view = evaluator.view(path)
        getters = view.bindings(0, "__getattr__") if view.facts.scopes else None
        fetched: list[Binding] = []
        for getter in getters.values if getters is not None else ():
            body = view.facts.definitions[getter.definition].scope if getter.definition >= 0 else -1
            bindings = view.bindings(body, name) if body >= 0 else None
            fetched += [item for item in bindings.values if item.item is not None] if bindings is not None else []
        if not fetched:
            return ()
        return evaluator.guarded(
            ("fetched", path, name), lambda: union(evaluator.binding(view, item) for item in fetched)
        )

    def external_call(self, evaluator: EvaluatorCore, name: str, call: CallExpr, view: FileView, scope: int) -> Values:
        if name != "importlib.import_module" or not call.arguments:
            return super().external_call(evaluator, name, call, view, scope)
        written = evaluator.evaluate(view, scope, call.arguments[0], call.line)
        names = (value.value for value in written if isinstance(value, Constant) and value.type == "str")
        return union(self._imported(evaluator, view, dotted, call.arguments[1:]) for dotted in names if dotted)

    def _imported(self, evaluator: EvaluatorCore, view: FileView, dotted: str, package: tuple[Expr, ...]) -> Values:
        """Return the module that a name given to `import_module` means; a relative one is told where it starts."""
        specifier = dotted.lstrip(".")
        level = len(dotted) - len(specifier)
        is_package = view.path.rpartition("/")[2].startswith("__init__.")
        bases = {Name("__package__"), Name("__name__")} if is_package else {Name("__package__")}
        if not specifier or (level and not bases.intersection(package)):
            return ()
        item = Import(specifier=specifier, kind="dynamic", line=0, level=level)
        target = self.import_target(evaluator.world, view.path, item)
        evaluator.listen(target.listens)
        return (target.value,) if target.value is not None else ()

    def package_member(self, evaluator: EvaluatorCore, folder: str, name: str) -> Values:
        modules = self.modules(evaluator.world)
        evaluator.listen(modules.signals(name))
        value = _module(modules.inside(folder, name))
        return (value,) if value is not None else ()

    def submodule(self, evaluator: EvaluatorCore, module: Module | Package, name: str) -> str | None:
        modules = self.modules(evaluator.world)
        evaluator.listen(modules.signals(name))
        found = modules.inside(module.folder, name) if isinstance(module, Package) else modules.below(module.path, name)
        return found if found and not found.endswith("/") else None


def _module(found: str | None) -> Module | Package | None:
    if found is None:
        return None
    return Package(found[:-1]) if found.endswith("/") else Module(found)


PYTHON_RULES = PythonRules()
