"""The hooks by which a language enters the resolver, and the table of the languages that have them.

Scopes, values and the flow between them are the same everywhere; what differs is asked here. A language without an
entry has no edges of its own beyond `contains`.
"""

# ruff: noqa: D102 - the hooks are described once, in `LanguageRules`
from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from graph.extract.facts import CallExpr, Expr, Import
from graph.resolve.values import Module, Package, Value, Values

if TYPE_CHECKING:
    from graph.resolve.core import EvaluatorCore
    from graph.resolve.views import FileView
    from graph.resolve.world import World

__all__ = ["NO_RULES", "LanguageRules", "ModuleTarget", "NoRules", "rules_for"]


class ModuleTarget(Struct, frozen=True):
    """What a module specifier leads to, and what would change that."""

    value: Value | None
    """A Module or Package of the repository, an External, or None when it is not known at all."""
    listens: tuple[str, ...] = ()
    """Paths and signals whose appearance or disappearance may change the target."""


class LanguageRules(Protocol):
    """One language, or a family such as JavaScript and TypeScript, seen from the resolver."""

    self_names: frozenset[str]
    """Names that mean the receiver without being declared: `this`. Empty where it is the first parameter."""
    first_parameter_is_self: bool
    """A method's first parameter is its receiver (Python)."""
    class_bodies_are_scopes: bool
    """Names in a class body are visible to the other statements of that body (Python), not only as members."""
    strings_are_types: bool
    """A string in the place of a type is that type written in quotes (Python), not a literal type."""
    constructor_names: tuple[str, ...]
    """Names of the method that runs when a class is called."""
    call_name: str
    """Name of the method that runs when an instance is called; empty where there is none."""

    def import_target(self, world: World, path: str, item: Import) -> ModuleTarget:
        """Return the module that an import names."""
        ...

    def imported_value(self, evaluator: EvaluatorCore, view: FileView, item: Import, name: str) -> Values:
        """Return what one imported name stands for; `name` as the other module calls it, empty for the module."""
        ...

    def star_value(self, evaluator: EvaluatorCore, view: FileView, item: Import, name: str) -> Values:
        """Return what a name stands for when it comes in by importing all; nothing if it does not."""
        ...

    def module_member(self, evaluator: EvaluatorCore, path: str, name: str) -> Values:
        """Return what another file sees as `name` of this module: exports, re-exports, submodules."""
        ...

    def package_member(self, evaluator: EvaluatorCore, folder: str, name: str) -> Values:
        """Return a member of a folder that is a module without a file of its own."""
        ...

    def submodule(self, evaluator: EvaluatorCore, module: Module | Package, name: str) -> str | None:
        """Return the file of a module inside a module, None where that name is none; JavaScript has no such thing."""
        ...

    def builtin(self, name: str) -> Values:
        """Return what a name means that no scope binds: an External for what the language provides, else nothing."""
        ...

    def external_call(self, evaluator: EvaluatorCore, name: str, call: CallExpr, view: FileView, scope: int) -> Values:
        """Return what a call of a known function outside gives (`functools.partial`), nothing when it is not known."""
        ...

    def callbacks(self, name: str, call: CallExpr) -> tuple[Expr, ...]:
        """Return the arguments that a function or container method from outside is known to call."""
        ...

    def special_calls(self, evaluator: EvaluatorCore, value: Value, how: str) -> Values:
        """Return the methods that run when a value is iterated (`iterate`) or entered (`enter`)."""
        ...

    def external_type(self, evaluator: EvaluatorCore, name: str, arguments: tuple[Values, ...]) -> Values | None:
        """Return what a thing annotated with a known type from outside may be, None when the type is not known.

        `arguments` are the type arguments, read as types themselves: `Optional[Flask]` gives ((Instance,),).
        """
        ...


@cache
def rules_for(language: str) -> LanguageRules | None:
    """Return the rules of a language, None where calls are not resolved."""
    match language:
        case "python":
            from graph.resolve.rules_python import PYTHON_RULES

            return PYTHON_RULES
        case "javascript" | "jsx" | "typescript" | "tsx":
            from graph.resolve.rules_javascript import SCRIPT_RULES

            return SCRIPT_RULES
        case "go":
            from graph.resolve.rules_go import GO_RULES

            return GO_RULES
        case "rust":
            from graph.resolve.rules_rust import RUST_RULES

            return RUST_RULES
        case "c" | "cpp":
            from graph.resolve.rules_c import C_RULES

            return C_RULES
        case "java":
            from graph.resolve.rules_java import JAVA_RULES

            return JAVA_RULES
        case "bash" | "csharp" | "kotlin" | "lua" | "php" | "ruby" | "scala" | "swift":
            from graph.resolve.rules_outline import OUTLINE_RULES

            return OUTLINE_RULES[language]
        case _:
            return None


class NoRules:
    """Rules of prose and of languages whose calls are not resolved: nothing leads anywhere.

    Rules of a language begin here too, and say only what the language has.
    """

    self_names: frozenset[str] = frozenset()
    first_parameter_is_self = False
    class_bodies_are_scopes = False
    strings_are_types = False
    constructor_names: tuple[str, ...] = ()
    call_name = ""

    def import_target(self, world: World, path: str, item: Import) -> ModuleTarget:
        del world, path, item
        return ModuleTarget(None)

    def imported_value(self, evaluator: EvaluatorCore, view: FileView, item: Import, name: str) -> Values:
        del evaluator, view, item, name
        return ()

    star_value = imported_value

    def module_member(self, evaluator: EvaluatorCore, path: str, name: str) -> Values:
        del evaluator, path, name
        return ()

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
        del evaluator, name, call, view, scope
        return ()

    def callbacks(self, name: str, call: CallExpr) -> tuple[Expr, ...]:
        del name, call
        return ()

    def special_calls(self, evaluator: EvaluatorCore, value: Value, how: str) -> Values:
        del evaluator, value, how
        return ()

    def external_type(self, evaluator: EvaluatorCore, name: str, arguments: tuple[Values, ...]) -> Values | None:
        del evaluator, name, arguments
        return None


NO_RULES: LanguageRules = NoRules()
