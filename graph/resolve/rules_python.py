"""The rules of Python: modules and packages, builtins, and the parts of the standard library that hand values on."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING

from graph.extract.facts import CallExpr, Expr, Import
from graph.resolve.core import union
from graph.resolve.languages import ModuleTarget
from graph.resolve.modules_python import PythonModules
from graph.resolve.values import (
    Class,
    Constant,
    Elements,
    External,
    Function,
    Instance,
    Module,
    Package,
    Returning,
    Super,
    Value,
    Values,
)

if TYPE_CHECKING:
    from graph.resolve.evaluator import Evaluator
    from graph.resolve.views import FileView
    from graph.resolve.world import World

__all__ = ["PYTHON_RULES", "PythonRules"]

_BUILTINS = frozenset(dir(builtins)) | {"__file__", "__name__", "__path__", "reveal_type", "WindowsError"}

_FIRST_ARGUMENT = frozenset(
    {"copy", "deepcopy", "partial", "partialmethod", "wraps", "update_wrapper", "lru_cache", "cache"}
)
_ITERABLE_CALLS = frozenset(
    {"list", "set", "tuple", "frozenset", "sorted", "reversed", "iter", "chain", "islice", "deque"}
)
_CONTAINERS = frozenset(
    {
        "list", "set", "frozenset", "deque", "List", "Set", "FrozenSet", "Deque", "Sequence", "MutableSequence", "Iterable",
        "Iterator", "Collection", "AbstractSet", "Generator", "AsyncIterator", "AsyncIterable", "AsyncGenerator",
        "Reversible", "KeysView", "ValuesView", "MutableSet", "ContextVar", "Queue", "Future", "Task",
    }
)  # fmt: skip
_MAPPINGS = frozenset(
    {"dict", "Dict", "Mapping", "MutableMapping", "DefaultDict", "defaultdict", "OrderedDict", "WeakValueDictionary"}
)
_CONTEXTS = frozenset(
    {"ContextManager", "AbstractContextManager", "AsyncContextManager", "AbstractAsyncContextManager"}
)
_TRANSPARENT = frozenset(
    {
        "Optional", "Union", "Annotated", "ClassVar", "Final", "Required", "NotRequired", "ReadOnly", "Awaitable",
        "Coroutine", "InitVar", "Unpack", "TypeGuard",
    }
)  # fmt: skip


_OPEN_TYPES = frozenset({"Any", "object", "None", "Self", "TypeVar", "Never", "NoReturn"})
"""Types that say nothing of what a thing can do."""

_INSTANCE_OF_ARGUMENT = frozenset({"ensure_object", "find_object"})
"""Functions of well-known libraries (click) that return an instance of the class they are given."""

_VALUE_TYPES = frozenset(
    {"str", "int", "float", "bool", "bytes", "bytearray", "open", "repr", "format", "range", "len"}
)

_CALLBACK_KEYWORDS = frozenset({"key", "target", "function", "callback"})


class PythonRules:
    """See `LanguageRules`."""

    self_names: frozenset[str] = frozenset()
    first_parameter_is_self = True
    class_bodies_are_scopes = True
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
            return ModuleTarget(_module(found), modules.signals(item.specifier) if item.specifier else ())
        found = modules.absolute(path, item.specifier)
        value = _module(found) or External(item.specifier)
        return ModuleTarget(value, modules.signals(item.specifier))

    def imported_value(self, evaluator: Evaluator, view: FileView, item: Import, name: str) -> Values:
        if not name:
            return self._module_value(evaluator, view, item)
        target = self.import_target(evaluator.world, view.path, item)
        evaluator.listen(target.listens)
        return evaluator.attribute(target.value, name) if target.value is not None else ()

    def _module_value(self, evaluator: Evaluator, view: FileView, item: Import) -> Values:
        """Return what `import a.b` binds (`a`), or `import a.b as c` (`a.b`)."""
        top, dot, _ = item.specifier.partition(".")
        if dot and item.names[0].alias == top:
            item = Import(specifier=top, kind=item.kind, line=item.line, scope=item.scope)
        target = self.import_target(evaluator.world, view.path, item)
        evaluator.listen(target.listens)
        return (target.value,) if target.value is not None else ()

    def star_value(self, evaluator: Evaluator, view: FileView, item: Import, name: str) -> Values:
        target = self.import_target(evaluator.world, view.path, item)
        evaluator.listen(target.listens)
        if not isinstance(target.value, Module):
            return ()
        public = evaluator.view(target.value.path).facts.public_names
        if name not in public if public is not None else name.startswith("_"):
            return ()
        return evaluator.attribute(target.value, name)

    def module_member(self, evaluator: Evaluator, path: str, name: str) -> Values:
        found = evaluator.module_name(path, name)
        if found:
            return found
        modules = self.modules(evaluator.world)
        below = modules.below(path, name)
        evaluator.listen(modules.signals(name))
        value = _module(below)
        return (value,) if value is not None else ()

    def package_member(self, evaluator: Evaluator, folder: str, name: str) -> Values:
        modules = self.modules(evaluator.world)
        evaluator.listen(modules.signals(name))
        value = _module(modules.inside(folder, name))
        return (value,) if value is not None else ()

    def submodule(self, evaluator: Evaluator, module: Module | Package, name: str) -> str | None:
        modules = self.modules(evaluator.world)
        evaluator.listen(modules.signals(name))
        if isinstance(module, Package):
            found = modules.inside(module.folder, name)
        else:
            found = modules.below(module.path, name)
        return found if found and not found.endswith("/") else None

    # -- what comes with the language ------------------------------------------------------------------------------

    def builtin(self, name: str) -> Values:
        return (External(f"builtins.{name}"),) if name in _BUILTINS else ()

    def external_call(self, evaluator: Evaluator, name: str, call: CallExpr, view: FileView, scope: int) -> Values:
        last = name.rsplit(".", 1)[-1]
        if name == "builtins.super":
            return self._super(evaluator, call, view, scope)

        def argument(place: int) -> Values:
            if place >= len(call.arguments):
                return ()
            return evaluator.evaluate(view, scope, call.arguments[place], call.line)

        if last in ("ref", "WeakMethod", "proxy") and name.startswith("weakref."):
            return (Returning(argument(0)),) if last != "proxy" else argument(0)
        if last in _FIRST_ARGUMENT:
            return argument(0)
        if last in _ITERABLE_CALLS:
            return (Elements("list", union(evaluator.elements(value) for value in argument(0))),)
        match name.split(".")[0], last:
            case "builtins", "type" if len(call.arguments) == 1:
                return tuple(Class(value.path, value.index) for value in argument(0) if isinstance(value, Instance))
            case "builtins", "next":
                return union([union(evaluator.elements(value) for value in argument(0)), argument(1)])
            case "builtins", "getattr":
                return self._getattr(evaluator, argument(0), argument(1), argument(2))
            case "builtins", "enumerate":
                items = union(evaluator.elements(value) for value in argument(0))
                pairs = tuple(Elements("tuple", (Constant("int", ""), item)) for item in items)
                return (Elements("iterator", pairs),)
            case "builtins", "map":
                given = union(evaluator.called(value, None, view, scope) for value in union([argument(0), argument(1)]))
                return (Elements("iterator", given),)
            case "builtins", "filter":
                return (Elements("iterator", union(evaluator.elements(value) for value in argument(1))),)
            case "builtins", ("dict" | "max" | "min"):
                return argument(0)
            case (("typing" | "typing_extensions" | "t"), "cast") if call.arguments:
                return evaluator.types(view, scope, call.arguments[0], call.line)
            case "dataclasses", "replace":
                return argument(0)
            case _, _ if last in _INSTANCE_OF_ARGUMENT:
                return tuple(Instance(item.path, item.index) for item in argument(0) if isinstance(item, Class))
            case "builtins", _ if last not in _VALUE_TYPES and name.count(".") == 1:
                return ()
            case _:
                return (External(f"{name}()"),)

    def callbacks(self, name: str, call: CallExpr) -> tuple[Expr, ...]:
        last = name.rsplit(".", 1)[-1]
        keyed = tuple(value for key, value in call.keywords if key in _CALLBACK_KEYWORDS)
        if last in ("map", "filter", "reduce", "starmap", "takewhile", "dropwhile", "filterfalse", "accumulate"):
            return call.arguments
        if last in ("sorted", "sort", "min", "max", "nlargest", "nsmallest", "groupby", "bisect", "insort"):
            return keyed
        if last in ("Thread", "Timer", "Process"):
            return keyed or call.arguments[1:2]
        if last in ("submit", "apply_async", "run_in_executor", "to_thread", "call_soon", "call_later", "defaultdict"):
            return call.arguments[:2]
        return ()

    def special_calls(self, evaluator: Evaluator, value: Value, how: str) -> Values:
        if not isinstance(value, Instance):
            return ()
        if how == "enter":
            names = (
                ("__enter__", "__exit__") if evaluator.attribute(value, "__enter__") else ("__aenter__", "__aexit__")
            )
            return union(evaluator.attribute(value, name) for name in names)
        found = evaluator.attribute(value, "__iter__") or evaluator.attribute(value, "__aiter__")
        iterators = union(evaluator.called(item, None, evaluator.view(value.path), 0) for item in found)
        steps = union(evaluator.attribute(item, "__next__") for item in iterators if isinstance(item, Instance))
        return union([found, steps])

    def _getattr(self, evaluator: Evaluator, base: Values, names: Values, default: Values) -> Values:
        wanted = [name.value for name in names if isinstance(name, Constant) and name.type == "str" and name.value]
        found = union(evaluator.attribute(value, name) for value in base for name in wanted)
        return union([found, tuple(value for value in default if not isinstance(value, Constant))])

    def _super(self, evaluator: Evaluator, call: CallExpr, view: FileView, scope: int) -> Values:
        method = view.method_scope(scope, first_parameter_is_self=True)
        owner = view.class_around(method) if method >= 0 else -1
        if owner < 0:
            return ()
        receivers = evaluator.parameter(view, method, 0) if view.parameters(method) else ()
        receiver: Value = next((value for value in receivers if isinstance(value, Instance | Class)), None) or Instance(
            view.path, owner, is_self=True
        )
        start = Class(view.path, owner)
        if call.arguments:
            written = evaluator.evaluate(view, scope, call.arguments[0], call.line)
            start = next((value for value in written if isinstance(value, Class)), start)
        return (Super(start.path, start.index, receiver),)

    def external_type(self, evaluator: Evaluator, name: str, arguments: tuple[Values, ...]) -> Values | None:
        last = name.rsplit(".", 1)[-1]
        first = arguments[0] if arguments else ()
        if last in _TRANSPARENT:
            return union(arguments)
        if last in _CONTAINERS:
            return (Elements("list", first),)
        if last in _MAPPINGS:
            return (Elements("dict", first, arguments[1] if len(arguments) > 1 else ()),)
        if last in _CONTEXTS:
            return (Elements("context", first),)
        if last in ("tuple", "Tuple"):
            return self._tuple(arguments)
        if last in ("type", "Type"):
            return tuple(Class(value.path, value.index) for value in first if isinstance(value, Instance))
        if last == "Callable":
            listed = first[0].items if first and isinstance(first[0], Elements) else ()
            return (Returning(arguments[-1] if arguments else (), listed),)
        if last in _OPEN_TYPES or name.startswith(("typing.", "typing_extensions.", "?")):
            return ()
        return None

    def _tuple(self, arguments: tuple[Values, ...]) -> Values:
        if not any(arguments):
            return ()
        places = tuple(group[0] if group else External("?") for group in arguments)
        return (Elements("tuple", places),)


def _module(found: str | None) -> Module | Package | None:
    if found is None:
        return None
    return Package(found[:-1]) if found.endswith("/") else Module(found)


PYTHON_RULES = PythonRules()
