"""What Python brings along: builtins, and the parts of the standard library that hand values on.

What is listed here is knowledge of well-known names, not of any repository; everything else outside stays an External.
"""

# ruff: noqa: D102 - each method is described once, in `LanguageRules`
from __future__ import annotations

import builtins
from typing import TYPE_CHECKING

from msgspec.structs import replace

from graph.extract.facts import CallExpr, Expr
from graph.resolve.collections_python import COLLECTION_MAKERS, made_collection
from graph.resolve.core import EvaluatorCore, union
from graph.resolve.values import (
    Class,
    Constant,
    Elements,
    External,
    Instance,
    Returning,
    Super,
    TypeVariable,
    Value,
    Values,
)

if TYPE_CHECKING:
    from graph.resolve.views import FileView

__all__ = ["PythonLibrary"]

_BUILTINS = frozenset(dir(builtins)) | {"__file__", "__name__", "__path__", "reveal_type", "WindowsError"}

_FIRST_ARGUMENT = frozenset(
    {
        "copy",
        "deepcopy",
        "replace",
        "proxy",
        "partial",
        "partialmethod",
        "wraps",
        "update_wrapper",
        "lru_cache",
        "cache",
    }
)
_ITERABLE_CALLS = frozenset(
    {"list", "set", "tuple", "frozenset", "sorted", "reversed", "iter", "chain", "islice", "deque"}
)
_CONTAINERS = frozenset(
    {
        "list", "set", "frozenset", "deque", "List", "Set", "FrozenSet", "Deque", "Sequence", "MutableSequence",
        "Iterable", "Iterator", "Collection", "AbstractSet", "Generator", "AsyncIterator", "AsyncIterable",
        "AsyncGenerator", "Reversible", "KeysView", "ValuesView", "MutableSet", "ContextVar", "Queue", "Future",
        "Task",
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


class PythonLibrary:
    """The half of `LanguageRules` that knows names from outside the repository."""

    def builtin(self, name: str) -> Values:
        return (External(f"builtins.{name}"),) if name in _BUILTINS else ()

    def external_call(self, evaluator: EvaluatorCore, name: str, call: CallExpr, view: FileView, scope: int) -> Values:
        last = name.rsplit(".", 1)[-1]
        if name == "builtins.super":
            return self._super(evaluator, call, view, scope)

        first = self._argument(evaluator, call, view, scope, 0)
        if name.startswith("builtins.") or name in COLLECTION_MAKERS:
            return self._builtin_call(evaluator, last, call, view, scope, first)
        if name.startswith("weakref.") and last in ("ref", "WeakMethod"):
            return (Returning(first),)
        if last in _FIRST_ARGUMENT:
            return first
        if last in _ITERABLE_CALLS:
            return (Elements("list", union(evaluator.elements(value) for value in first)),)
        if last == "cast" and call.arguments:
            return evaluator.types(view, scope, call.arguments[0], call.line)
        if last in ("closing", "aclosing", "nullcontext"):
            return (Elements("context", first),)
        if last in ("enter_context", "enter_async_context"):
            return union(evaluator.entered(value) for value in first)
        if last in _INSTANCE_OF_ARGUMENT:
            return tuple(Instance(item.path, item.index) for item in first if isinstance(item, Class))
        return (External(f"{name}()"),)

    def _argument(self, evaluator: EvaluatorCore, call: CallExpr, view: FileView, scope: int, place: int) -> Values:
        if place >= len(call.arguments):
            return ()
        return evaluator.evaluate(view, scope, call.arguments[place], call.line)

    def _builtin_call(
        self, evaluator: EvaluatorCore, name: str, call: CallExpr, view: FileView, scope: int, first: Values
    ) -> Values:
        if name in _ITERABLE_CALLS:
            return (Elements("list", union(evaluator.elements(value) for value in first)),)
        second = self._argument(evaluator, call, view, scope, 1)
        match name:
            case "type" if len(call.arguments) == 1:
                return tuple(Class(value.path, value.index) for value in first if isinstance(value, Instance))
            case "property":
                return (Elements("property", first),)
            case "next" | "max" | "min":
                of_many = name != "next" and len(call.arguments) > 1
                held = first if of_many else union(evaluator.elements(value) for value in first)
                return union([held, second])
            case "getattr":
                return self._getattr(evaluator, first, second, self._argument(evaluator, call, view, scope, 2))
            case "dict" | "enumerate" | "zip" | "zip_longest" | "defaultdict":
                return made_collection(evaluator, name, call, view, scope)
            case "map":
                given = union(evaluator.called(value, None, view, scope) for value in union([first, second]))
                return (Elements("iterator", given),)
            case "filter":
                return (Elements("iterator", union(evaluator.elements(value) for value in second)),)
            case _:
                return (External(f"builtins.{name}()"),) if name in _VALUE_TYPES else ()

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

    def special_calls(self, evaluator: EvaluatorCore, value: Value, how: str) -> Values:
        if not isinstance(value, Instance):
            return ()
        if how == "enter":
            names = (
                ("__enter__", "__exit__") if evaluator.attribute(value, "__enter__") else ("__aenter__", "__aexit__")
            )
            return union(evaluator.attribute(value, name) for name in names)
        found = evaluator.attribute(value, "__iter__") or evaluator.attribute(value, "__aiter__")
        iterators = union(evaluator.called(item, None, evaluator.view(value.path), 0) for item in found)
        steps = union(
            evaluator.attribute(item, "__next__") or evaluator.attribute(item, "__anext__")
            for item in iterators
            if isinstance(item, Instance)
        )
        return union([found, steps])

    def _getattr(self, evaluator: EvaluatorCore, base: Values, names: Values, default: Values) -> Values:
        wanted = [name.value for name in names if isinstance(name, Constant) and name.type == "str" and name.value]
        found = union(evaluator.attribute(value, name) for value in base for name in wanted)
        return union([found, tuple(value for value in default if not isinstance(value, Constant))])

    def _super(self, evaluator: EvaluatorCore, call: CallExpr, view: FileView, scope: int) -> Values:
        method = view.method_scope(scope)
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

    def external_type(self, evaluator: EvaluatorCore, name: str, arguments: tuple[Values, ...]) -> Values | None:
        last = name.rsplit(".", 1)[-1]
        del evaluator  # part of the protocol; Python's types need no further questions
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
            return tuple(
                replace(value, is_class=True) if isinstance(value, TypeVariable) else Class(value.path, value.index)
                for value in first
                if isinstance(value, Instance | TypeVariable)
            )
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
