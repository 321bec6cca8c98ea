"""What expressions of C and C++ stand for, where the languages differ from the common rules.

Names are found by their qualified name in the file, its headers and what defines what these declare (`units_c`). A
variable of a function hides what is around it; pointers stand as what they point to.
"""

# ruff: noqa: D102 - the questions that a part answers for the others are described once, in `EvaluatorCore`
from __future__ import annotations

from graph.extract.facts import Assign, Attribute, CallExpr, Collection, Expr, Name, Parameter, Subscript
from graph.model import NodeKind
from graph.resolve.core import union
from graph.resolve.evaluator import Evaluator
from graph.resolve.overloads_c import fitting
from graph.resolve.units_c import UnitTables
from graph.resolve.values import Class, Elements, External, Function, Instance, Value, Values
from graph.resolve.views import CLASS_KINDS, Bindings, FileView
from graph.resolve.world import World

__all__ = ["CEvaluator"]

_POINTERS = frozenset({"unique_ptr", "shared_ptr", "weak_ptr", "optional", "atomic", "reference_wrapper"})
_LISTS = frozenset({"vector", "deque", "list", "set", "unordered_set", "array", "span", "initializer_list", "multiset"})
_MAKERS = frozenset({"make_unique", "make_shared"})
_TRANSPARENT = frozenset({"move", "forward", "get", "release", "lock", "value"})
_ONE_ITEM = frozenset({"at", "back", "front", "top"})


class CEvaluator(Evaluator):
    """The common evaluator with qualified names, headers and methods outside of their class."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._tables = UnitTables()

    # -- names ----------------------------------------------------------------------------------------------------

    def name(self, view: FileView, scope: int, name: str, line: int) -> Values:
        if name == "this":
            owner = self.class_of(view, scope)
            return (Instance(owner.path, owner.index, is_self=True),) if owner is not None else ()
        number, same_frame = scope, True
        while number > 0 and view.facts.scopes[number].kind in ("function", "lambda"):
            bindings = view.bindings(number, name)
            if bindings is not None:
                at = line if same_frame and len(bindings.everything) > 1 else 0
                return self._local(view, number, name, bindings, at)
            same_frame = same_frame and view.facts.scopes[number].kind == "lambda"
            number = view.facts.scopes[number].parent
        owner = self.class_of(view, scope)
        field = self.attribute(Instance(owner.path, owner.index, is_self=True), name) if owner is not None else ()
        return field or self.guarded(("global", view.path, number, name), lambda: self._outer(view, number, name))

    def _local(self, view: FileView, scope: int, name: str, bindings: Bindings, line: int) -> Values:
        return self.guarded(("name", view.path, scope, name, line), lambda: self.bound(view, bindings, line))

    def _outer(self, view: FileView, scope: int, name: str) -> Values:
        """Return a variable, function or type of the scopes around."""
        number = scope
        while number >= 0:
            bindings = view.bindings(number, name)
            found = self.bound(view, bindings, 0) if bindings is not None else ()
            if found:
                return found
            number = view.facts.scopes[number].parent
        return self._values(self.find_named(view, scope, name))

    def _values(self, found: list[tuple[str, int]]) -> Values:
        values: list[Value] = []
        for path, index in found:
            definition = self.view(path).facts.definitions[index]
            if definition.kind in CLASS_KINDS:
                values.append(Class(path, index))
            elif definition.scope >= 0 and definition.kind is not NodeKind.MODULE:
                values.append(Function(path, definition.scope))
        return tuple(values)

    def find_named(self, view: FileView, scope: int, dotted: str) -> list[tuple[str, int]]:
        """Return the definitions that a qualified name means in a scope."""
        return self._tables.find(self, view.path, self.prefix(view, scope), dotted)

    def prefix(self, view: FileView, scope: int) -> str:
        """Return what stands before the names that are defined around a scope, with a trailing dot."""
        number = scope
        while number > 0:
            facts = view.facts.scopes[number]
            if facts.definition >= 0:
                return f"{view.facts.definitions[facts.definition].qualname}."
            number = facts.parent
        return ""

    def class_of(self, view: FileView, scope: int) -> Class | None:
        """Return the class whose method a scope lies in; it may stand in another file."""
        number = scope
        while number > 0:
            facts = view.facts.scopes[number]
            if facts.kind == "class" and facts.definition >= 0:
                return Class(view.path, facts.definition)
            is_method = facts.definition >= 0 and view.facts.definitions[facts.definition].kind is NodeKind.METHOD
            if is_method and view.facts.scopes[facts.parent].kind == "extension":
                qualname = view.facts.definitions[facts.definition].qualname.rpartition(".")[0]
                return self._first_class(self._tables.find(self, view.path, "", qualname))
            number = facts.parent
        return None

    def _first_class(self, found: list[tuple[str, int]]) -> Class | None:
        kinds = ((self.view(path).facts.definitions[index].kind, path, index) for path, index in found)
        return next((Class(path, index) for kind, path, index in kinds if kind in CLASS_KINDS), None)

    # -- types ----------------------------------------------------------------------------------------------------

    def types(self, view: FileView, scope: int, expr: Expr, line: int) -> Values:
        match expr:
            case Name() | Attribute():
                key = ("type", view.path, scope, dotted_name(expr))
                return self.guarded(key, lambda: self._type_of(view, scope, dotted_name(expr)))
            case Subscript(base=base, index=index):
                return self._applied(view, scope, base, index, line)
            case _:
                return ()

    def _type_of(self, view: FileView, scope: int, dotted: str) -> Values:
        found = self.find_named(view, scope, dotted) if dotted else []
        for path, index in found:
            definition = self.view(path).facts.definitions[index]
            if definition.kind in CLASS_KINDS:
                return (Instance(path, index),)
            if definition.kind is NodeKind.TYPE and definition.annotation is not None:
                return self.types(self.view(path), definition.owner, definition.annotation, 0)
        return ()

    def _applied(self, view: FileView, scope: int, base: Expr, index: Expr, line: int) -> Values:
        last = dotted_name(base).rpartition(".")[2]
        written = index.values if isinstance(index, Collection) and index.type == "tuple" else (index,)
        if last in _POINTERS:
            return self.types(view, scope, written[0], line) if written else ()
        if last in _LISTS or last == "[]":
            return (Elements("list", self.types(view, scope, written[0], line) if written else ()),)
        if last == "func":
            return ()
        return self.types(view, scope, base, line)

    def assigned(self, view: FileView, scope: int, assign: Assign) -> Values:
        if assign.how == "type":
            return ()
        return super().assigned(view, scope, assign)

    # -- members --------------------------------------------------------------------------------------------------

    def _bases(self, owner: Class) -> Values:
        view = self.view(owner.path)
        definition = view.facts.definitions[owner.index]
        found = union(self.types(view, definition.owner, base, 0) for base in definition.bases)
        return tuple(Class(item.path, item.index) for item in found if isinstance(item, Instance))

    def _outer_bases(self, owner: Class) -> Values:
        del owner
        return ()

    def member_below(self, owner: Class, name: str) -> Values:
        del owner, name
        return ()

    def methods(self, owner: Class, name: str) -> list[tuple[str, int]]:
        """Return the methods of a name that a class or the nearest of its bases defines or declares."""
        for ancestor in self.ancestors(owner):
            view = self.view(ancestor.path)
            definition = view.facts.definitions[ancestor.index]
            qualname = f"{definition.qualname}.{name}"
            found = self._tables.named(self, self._tables.unit(self, ancestor.path), qualname)
            if found or (definition.scope >= 0 and view.binds(definition.scope, name)):
                return found  # what is only declared hides what bases define
        return []

    # -- calls ----------------------------------------------------------------------------------------------------

    def callee(self, view: FileView, scope: int, call: CallExpr) -> Values:
        """Return what a call runs."""
        key = ("callee", id(call), view.path, scope)
        return self.guarded(key, lambda: self._callee(view, scope, call))

    def _callee(self, view: FileView, scope: int, call: CallExpr) -> Values:
        function = call.function.base if isinstance(call.function, Subscript) else call.function
        if call.constructs:
            made = self.types(view, scope, call.function, call.line)
            return union(self._made(item, call) for item in made if isinstance(item, Instance))
        match function:
            case Name(id=name):
                return self._named_call(view, scope, name, call)
            case Attribute(base=base, name=name):
                dotted = dotted_name(function)
                found = self._chosen(self.find_named(view, scope, dotted), call) if dotted else ()
                if found and not self._is_local(view, scope, dotted.partition(".")[0]):
                    return found
                receivers = self.evaluate(view, scope, base, call.line)
                return union(self._method_of(item, name, call) for item in receivers)
            case _:
                values = self.evaluate(view, scope, call.function, call.line)
                return tuple(value for value in values if isinstance(value, Function))

    def _is_local(self, view: FileView, scope: int, name: str) -> bool:
        number = scope
        while number > 0 and view.facts.scopes[number].kind in ("function", "lambda"):
            if view.binds(number, name):
                return True
            number = view.facts.scopes[number].parent
        return False

    def _named_call(self, view: FileView, scope: int, name: str, call: CallExpr) -> Values:
        if self._is_local(view, scope, name):
            values = self.name(view, scope, name, call.line)
            return tuple(value for value in values if isinstance(value, Function))
        owner = self.class_of(view, scope)
        if owner is not None:
            found = self._chosen(self.methods(owner, name), call)
            if found:
                return found
        return self._chosen(self.find_named(view, scope, name), call)

    def _method_of(self, value: Value, name: str, call: CallExpr) -> Values:
        match value:
            case Instance(path=path, index=index) | Class(path=path, index=index):
                return self._chosen(self.methods(Class(path, index), name), call)
            case Elements():
                return (External(f"std.{name}"),)
            case External(name=outer):
                return (External(f"{outer}.{name}"),)
            case _:
                return ()

    def _made(self, value: Instance, call: CallExpr) -> Values:
        owner = Class(value.path, value.index)
        name = self.view(value.path).facts.definitions[value.index].name
        qualname = f"{self.view(value.path).facts.definitions[value.index].qualname}.{name}"
        found = self._tables.named(self, self._tables.unit(self, value.path), qualname)
        return self._chosen(found, call) or (owner,)

    def _chosen(self, found: list[tuple[str, int]], call: CallExpr) -> Values:
        """Return the functions among definitions that take as many arguments; a class stands for its construction."""
        functions = [value for value in self._values(found) if isinstance(value, Function)]
        if functions:
            shapes: list[tuple[Parameter, ...]] = [self.view(item.path).parameters(item.scope) for item in functions]
            return tuple(functions[place] for place in fitting(shapes, len(call.arguments)))
        classes = (value for value in self._values(found) if isinstance(value, Class))
        return union(self._made(Instance(value.path, value.index), call) for value in classes)

    def _call(self, view: FileView, scope: int, call: CallExpr, line: int) -> Values:
        function = call.function
        if call.constructs:
            return self.types(view, scope, function, line)
        if isinstance(function, Subscript) and dotted_name(function.base).rpartition(".")[2] in _MAKERS:
            return self.types(view, scope, function.index, line)
        if isinstance(function, Attribute) and function.name in _TRANSPARENT | _ONE_ITEM:
            if dotted_name(function) in ("std.move", "std.forward") and call.arguments:
                return self.evaluate(view, scope, call.arguments[0], line)
            values = self.evaluate(view, scope, function.base, line)
            if function.name in _ONE_ITEM:
                held = union(item.items for item in values if isinstance(item, Elements))
                if held:
                    return held
        made: list[Values] = []
        for value in self.callee(view, scope, call):
            if isinstance(value, Class):
                made.append((Instance(value.path, value.index),))
            elif isinstance(value, Function) and self._is_constructor(value):
                owner = self.class_of(self.view(value.path), value.scope)
                made.append((Instance(owner.path, owner.index),) if owner is not None else ())
            else:
                made.append(self.called(value, call, view, scope))
        return union(made)

    def _is_constructor(self, function: Function) -> bool:
        definition = self.view(function.path).definition_of(function.scope)
        return definition is not None and "constructor" in definition.modifiers

    def item(self, value: Value, keys: Values) -> Values:
        return value.items if isinstance(value, Elements) and value.kind == "list" else super().item(value, keys)


def dotted_name(expr: Expr) -> str:
    """Return `a.b.c` for a name or a chain of attributes of one, template arguments left out; else empty."""
    parts: list[str] = []
    while True:
        match expr:
            case Attribute(base=base, name=name):
                parts.append(name)
                expr = base
            case Subscript(base=base):
                expr = base
            case Name(id=name):
                parts.append(name)
                return ".".join(reversed(parts))
            case _:
                return ""
