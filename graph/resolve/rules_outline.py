"""The rules of the languages of which imports are resolved, and of calls only those that no type decides.

PHP never means a method by a bare name, shell functions are global, Lua names are lexical, and a call on the receiver
means the class around it where the language has no overloads (PHP, Ruby). Everything else stays unresolved.
"""

# ruff: noqa: D102 - the hooks are described once, in `LanguageRules`
from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct, field

from graph.extract.facts import Import
from graph.resolve.languages import ModuleTarget, NoRules
from graph.resolve.modules_outline import Found, OutlineModules
from graph.resolve.values import External, Module, Values

if TYPE_CHECKING:
    from graph.resolve.core import EvaluatorCore
    from graph.resolve.views import FileView
    from graph.resolve.world import World

__all__ = ["OUTLINE_RULES", "OutlineRules"]

_COMPOSER = "composer.json"


class OutlineRules(NoRules):
    """See `LanguageRules`."""

    first_parameter_is_self = False
    class_bodies_are_scopes = False
    strings_are_types = False
    call_name = ""

    def __init__(self, language: str, *, receiver: str = "", constructor: str = "") -> None:
        self.language = language
        self.self_names: frozenset[str] = frozenset({receiver} if receiver else ())
        self.constructor_names: tuple[str, ...] = (constructor,) if constructor else ()

    def modules(self, world: World) -> OutlineModules:
        """Return the index of files."""
        return world.index("outline", OutlineModules)

    def import_target(self, world: World, path: str, item: Import) -> ModuleTarget:
        found = self.found(world, path, item)
        value = Module(found.paths[0]) if len(found.paths) == 1 else External(item.specifier)
        return ModuleTarget(value, tuple(sorted(found.listens)))

    def found(self, world: World, path: str, item: Import) -> Found:
        """Return the files that an import without a star means."""
        modules = self.modules(world)
        if item.kind == "dynamic":
            return Found([], set())
        match self.language:
            case "ruby":
                return modules.beside(path, item.specifier, ".rb") if item.level else modules.ruby(path, item.specifier)
            case "lua":
                return modules.lua(path, item.specifier)
            case "bash":
                return modules.beside(path, item.specifier) if item.level else modules.script(path, item.specifier)
            case "php":
                return self._php(world, modules, path, item)
            case "swift":
                name = item.names[0].name if item.names else "*"
                return modules.defining("swift", path, item.specifier, name) if name != "*" else Found([], set())
            case _:
                if any(name.name == "*" for name in item.names):
                    return Found([], set())
                return modules.dotted(self.language, path, item.specifier)

    def _php(self, world: World, modules: OutlineModules, path: str, item: Import) -> Found:
        if item.kind == "require":
            return modules.beside(path, item.specifier) if item.level else modules.script(path, item.specifier)
        listens = {_COMPOSER}
        for prefix, folder in world.index("psr-4", _prefixes):
            if item.specifier.startswith(prefix):
                file = folder + item.specifier[len(prefix) :].replace(".", "/") + ".php"
                listens.add(file)
                if file in world.known:
                    return Found([file], listens)
        found = modules.dotted("php", path, item.specifier)
        return Found(found.paths, found.listens | listens)

    def imported_value(self, evaluator: EvaluatorCore, view: FileView, item: Import, name: str) -> Values:
        target = self.import_target(evaluator.world, view.path, item)
        evaluator.listen(target.listens)
        if not isinstance(target.value, Module):
            return (target.value,) if target.value is not None else ()
        return evaluator.module_name(target.value.path, name) if name else ()

    def star_value(self, evaluator: EvaluatorCore, view: FileView, item: Import, name: str) -> Values:
        if self.language != "bash":
            return ()
        return self.imported_value(evaluator, view, item, name)

    def module_member(self, evaluator: EvaluatorCore, path: str, name: str) -> Values:
        return evaluator.module_name(path, name)


class _Autoload(Struct):
    """Where classes are loaded from: prefix to folder or folders."""

    psr4: dict[str, str | list[str]] = field(name="psr-4", default_factory=dict[str, str | list[str]])


class _Composer(Struct):
    """What counts of a composer file."""

    autoload: _Autoload = field(default_factory=_Autoload)
    development: _Autoload = field(name="autoload-dev", default_factory=_Autoload)


def _prefixes(world: World) -> list[tuple[str, str]]:
    """Return the PSR-4 rules of the root's composer file, (dotted prefix, folder with a slash), the longest first."""
    text = world.config_text(_COMPOSER)
    try:
        composer = msgspec.json.decode(text, type=_Composer) if text else _Composer()
    except (msgspec.MsgspecError, RecursionError):
        # A file that composer would refuse gives no rules; classes are then found by their namespaces.
        return []
    found: list[tuple[str, str]] = []
    for part in (composer.autoload, composer.development):
        for prefix, folders in part.psr4.items():
            listed = folders if isinstance(folders, list) else [folders]
            found += [(prefix.replace("\\", "."), _folder(folder)) for folder in listed]
    return sorted(found, key=lambda rule: (-len(rule[0]), rule))


def _folder(text: str) -> str:
    plain = text.removeprefix("./").strip("/")
    return f"{plain}/" if plain not in ("", ".") else ""


OUTLINE_RULES: dict[str, OutlineRules] = {
    "bash": OutlineRules("bash"),
    "csharp": OutlineRules("csharp"),
    "kotlin": OutlineRules("kotlin"),
    "lua": OutlineRules("lua"),
    "php": OutlineRules("php", receiver="this", constructor="__construct"),
    "ruby": OutlineRules("ruby", receiver="self", constructor="initialize"),
    "scala": OutlineRules("scala"),
    "swift": OutlineRules("swift"),
}
