"""The rules of Go: packages, what the language provides, and its built-in types."""

# ruff: noqa: D102 - the hooks are described once, in `LanguageRules`
from __future__ import annotations

from typing import TYPE_CHECKING

from graph.extract.facts import CallExpr, Import
from graph.resolve.core import union
from graph.resolve.languages import ModuleTarget, NoRules
from graph.resolve.packages_go import GoPackages
from graph.resolve.values import Elements, External, Package, Returning, Values

if TYPE_CHECKING:
    from graph.resolve.core import EvaluatorCore
    from graph.resolve.views import FileView
    from graph.resolve.world import World

__all__ = ["GO_RULES", "GoRules"]

_BUILTINS = frozenset(
    {
        "append", "cap", "clear", "close", "complex", "copy", "delete", "imag", "len", "make", "max", "min", "new",
        "panic", "print", "println", "real", "recover",
        "any", "bool", "byte", "comparable", "complex64", "complex128", "error", "float32", "float64", "int", "int8",
        "int16", "int32", "int64", "rune", "string", "uint", "uint8", "uint16", "uint32", "uint64", "uintptr",
        "[]", "map", "chan", "func",
    }
)  # fmt: skip


class GoRules(NoRules):
    """See `LanguageRules`."""

    self_names: frozenset[str] = frozenset()
    first_parameter_is_self = True
    class_bodies_are_scopes = False
    strings_are_types = False
    constructor_names: tuple[str, ...] = ()
    call_name = ""

    def packages(self, world: World) -> GoPackages:
        """Return the index of packages."""
        return world.index("go", GoPackages)

    def import_target(self, world: World, path: str, item: Import) -> ModuleTarget:
        found = self.packages(world).modules.resolve(path, item.specifier)
        value = Package(found.folder) if found.folder is not None else External(item.specifier)
        return ModuleTarget(value, found.listens)

    def imported_value(self, evaluator: EvaluatorCore, view: FileView, item: Import, name: str) -> Values:
        target = self.import_target(evaluator.world, view.path, item)
        evaluator.listen(target.listens)
        if target.value is None or not name:
            return (target.value,) if target.value is not None else ()
        return evaluator.attribute(target.value, name)

    def star_value(self, evaluator: EvaluatorCore, view: FileView, item: Import, name: str) -> Values:
        target = self.import_target(evaluator.world, view.path, item)
        evaluator.listen(target.listens)
        return evaluator.attribute(target.value, name) if isinstance(target.value, Package) else ()

    def module_member(self, evaluator: EvaluatorCore, path: str, name: str) -> Values:
        return evaluator.module_name(path, name)

    def package_member(self, evaluator: EvaluatorCore, folder: str, name: str) -> Values:
        packages = self.packages(evaluator.world)
        evaluator.listen(packages.modules.files.get(folder, ()))
        if not name[:1].isupper():
            return ()
        paths = packages.defining(evaluator.world, folder, name)
        return union(evaluator.module_name(path, name) for path in paths)

    def builtin(self, name: str) -> Values:
        return (External(f"builtins.{name}"),) if name in _BUILTINS else ()

    def external_call(self, evaluator: EvaluatorCore, name: str, call: CallExpr, view: FileView, scope: int) -> Values:
        first = call.arguments[0] if call.arguments else None
        match name:
            case "builtins.new" | "builtins.make" if first is not None:
                return evaluator.types(view, scope, first, call.line)
            case "builtins.append" if first is not None:
                return evaluator.evaluate(view, scope, first, call.line)
            case _:
                return (External(f"{name}()"),)

    def external_type(self, evaluator: EvaluatorCore, name: str, arguments: tuple[Values, ...]) -> Values | None:
        del evaluator
        first = arguments[0] if arguments else ()
        match name:
            case "builtins.[]":
                return (Elements("list", first),)
            case "builtins.chan":
                return (Elements("iterator", first),)
            case "builtins.map":
                return (Elements("dict", first, arguments[1] if len(arguments) > 1 else ()),)
            case "builtins.func":
                result = arguments[1] if len(arguments) > 1 else ()
                taken = first[0].items if first and isinstance(first[0], Elements) else ()
                return (Returning(result, taken),)
            case _:
                return None


GO_RULES = GoRules()
