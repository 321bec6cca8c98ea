"""What expressions of Java stand for, where the language differs from the common rules.

Names are looked up in the bodies of classes and what these inherit, then among imports, the package and `java.lang`.
Methods have names of their own: a call is looked up among methods only, and overloads are told apart by its arguments.
"""

# ruff: noqa: D102 - the questions that a part answers for the others are described once, in `EvaluatorCore`
from __future__ import annotations

from collections.abc import Iterable, Iterator

from graph.extract.facts import Assign, Attribute, CallExpr, ClassRef, Expr, FunctionRef, Name
from graph.extract.facts import Constant as ConstantExpr
from graph.model import NodeKind
from graph.resolve.core import union
from graph.resolve.evaluator import Evaluator
from graph.resolve.library_java import HANDING, MAPPING, ONE_ITEM, SAME
from graph.resolve.overloads_java import best_fits, simple_name
from graph.resolve.rules_java import JAVA_RULES, package_of
from graph.resolve.values import (
    Class,
    Constant,
    Elements,
    External,
    Function,
    Instance,
    Literal,
    Method,
    Super,
    Value,
    Values,
)
from graph.resolve.views import Bindings, FileView

__all__ = ["JavaEvaluator"]

_CONSTANTS = {
    "str": "String",
    "int": "int",
    "float": "double",
    "char": "char",
    "bool": "boolean",
    "none": "null",
    "class": "Class",
}
_MAX_TYPES = 24


class JavaEvaluator(Evaluator):
    """The common evaluator with nested types, packages and overloads."""

    # -- names ----------------------------------------------------------------------------------------------------

    def name(self, view: FileView, scope: int, name: str, line: int) -> Values:
        if name in ("this", "super"):
            return self._receiver_here(view, scope, name)
        number, same_frame = scope, True
        while number >= 0:
            is_class = view.facts.scopes[number].kind == "class"
            if view.binds(number, name) and (bindings := view.bindings(number, name)) is not None:
                at = 0 if is_class or not same_frame or len(bindings.everything) == 1 else line
                found = self._bound_value(view, number, name, bindings, at)
                if found or not is_class:
                    return found
            if is_class and (found := self._inherited(view, number, name)):
                return found
            same_frame = same_frame and not is_class
            number = view.facts.scopes[number].parent
        return self.guarded(("global", view.path, name), lambda: self._global(view, name))

    def _bound_value(self, view: FileView, scope: int, name: str, bindings: Bindings, line: int) -> Values:
        """Return what a name means as a value: methods and constructors have names of their own."""
        found = self.guarded(("name", view.path, scope, name, line), lambda: self.bound(view, bindings, line))
        if not any(isinstance(value, Function) for value in found):
            return found
        return tuple(value for value in found if not (isinstance(value, Function) and self._is_method(value)))

    def _is_method(self, function: Function) -> bool:
        definition = self.view(function.path).definition_of(function.scope)
        return definition is not None and definition.kind is NodeKind.METHOD

    def _receiver_here(self, view: FileView, scope: int, name: str) -> Values:
        owner = self._class_around(view, scope)
        if owner is None or owner.index < 0:
            return ()
        receiver = Instance(owner.path, owner.index, is_self=True)
        return (receiver,) if name == "this" else (Super(owner.path, owner.index, receiver),)

    def _inherited(self, view: FileView, scope: int, name: str) -> Values:
        """Return a field or nested type that a class takes over."""
        index = view.facts.scopes[scope].definition
        if index < 0:
            return ()
        definition = view.facts.definitions[index]
        if not definition.bases and not definition.implements:
            return ()
        key = ("inherited", view.path, index, name)
        return self.guarded(key, lambda: self._behind_class(Class(view.path, index), name))

    def _behind_class(self, owner: Class, name: str) -> Values:
        for ancestor in self.ancestors(owner)[1:]:
            found = self.own_member(ancestor, name)
            if found and not all(isinstance(value, Function) for value in found):
                return found
        return ()

    def _global(self, view: FileView, name: str) -> Values:
        """Return a name that the file does not bind: a type of its package, of an import of all, or of the language."""
        package = package_of(view.facts)
        beside = JAVA_RULES.named(self, view, f"{package}.{name}" if package else name)
        return beside or super()._global(view, name) or self._from_outside(view, name)

    def _from_outside(self, view: FileView, name: str) -> Values:
        """Return a type that only an import of all from outside can give: the repository has been asked before."""
        modules = JAVA_RULES.modules(self.world)
        outside = [item.specifier for item in view.stars if modules.resolve(view.path, item.specifier) is None]
        return (External(f"{outside[0]}.{name}"),) if outside and name[:1].isupper() else ()

    def _bases(self, owner: Class) -> Values:
        """Evaluate the bases of a class around it: names in its own body mean nothing there."""
        view = self.view(owner.path)
        definition = view.facts.definitions[owner.index]
        written = (*definition.bases, *definition.implements)
        values = union(self._type_itself(view, definition.owner, base) for base in written)
        return tuple(value for value in values if isinstance(value, Class) and value != owner)

    def _outer_bases(self, owner: Class) -> Values:
        view = self.view(owner.path)
        definition = view.facts.definitions[owner.index]
        written = (*definition.bases, *definition.implements)
        values = union(self._type_itself(view, definition.owner, base) for base in written)
        return tuple(value for value in values if isinstance(value, External))

    def _type_itself(self, view: FileView, scope: int, expr: Expr) -> Values:
        """Return the class that a type is, without its arguments."""
        while not isinstance(expr, Name | Attribute) and (base := getattr(expr, "base", None)) is not None:
            expr = base
        values = self.evaluate(view, scope, expr, 0) if isinstance(expr, Name | Attribute) else ()
        return tuple(value for value in values if isinstance(value, Class | External))

    # -- types ----------------------------------------------------------------------------------------------------

    def _type_named(self, view: FileView, scope: int, name: str, line: int) -> Values:
        del line
        found = self.name(view, scope, name, 0)
        return union((value,) if isinstance(value, Instance) else self._instance(value, view, scope) for value in found)

    def assigned(self, view: FileView, scope: int, assign: Assign) -> Values:
        if assign.how == "type":  # a type parameter stands for its bound
            return self.types(view, scope, assign.value, assign.line)
        return super().assigned(view, scope, assign)

    # -- members --------------------------------------------------------------------------------------------------

    def attribute(self, value: Value, name: str) -> Values:
        if name == "this" and isinstance(value, Class):
            return (Instance(value.path, value.index, is_self=True),)
        if name == "super" and isinstance(value, Class):
            return (Super(value.path, value.index, Instance(value.path, value.index)),)
        return super().attribute(value, name)

    def member_below(self, owner: Class, name: str) -> Values:
        del owner, name
        return ()

    def methods(self, owner: Class, name: str) -> list[tuple[str, int]]:
        """Return the methods of a name that a class has, own ones first, as (path, index); no overridden ones."""
        found: list[tuple[str, int]] = []
        seen: set[tuple[str, ...]] = set()
        for ancestor in self.ancestors(owner):
            for path, index in self._own_methods(ancestor, name):
                view = self.view(path)
                parameters = view.parameters(view.facts.definitions[index].scope)
                shape = tuple(simple_name(item.annotation) for item in parameters)
                if shape not in seen:
                    seen.add(shape)
                    found.append((path, index))
        return found

    def _own_methods(self, owner: Class, name: str) -> Iterator[tuple[str, int]]:
        view = self.view(owner.path)
        scope = view.facts.definitions[owner.index].scope
        bindings = view.bindings(scope, name) if scope >= 0 else None
        for binding in bindings.everything if bindings is not None else ():
            if binding.definition >= 0 and view.facts.definitions[binding.definition].kind is NodeKind.METHOD:
                yield owner.path, binding.definition

    def constructors(self, owner: Class) -> list[tuple[str, int]]:
        """Return the constructors that a class writes down."""
        view = self.view(owner.path)
        name = view.facts.definitions[owner.index].name
        return [
            (path, index)
            for path, index in self._own_methods(owner, name)
            if "constructor" in view.facts.definitions[index].modifiers
        ]

    # -- calls ----------------------------------------------------------------------------------------------------

    def callee(self, view: FileView, scope: int, call: CallExpr) -> Values:
        """Return what a call runs: methods, a class without a constructor of its own, or something outside."""
        key = ("callee", id(call), view.path, scope)
        return self.guarded(key, lambda: self._callee(view, scope, call))

    def _callee(self, view: FileView, scope: int, call: CallExpr) -> Values:
        function = call.function
        if call.constructs:
            return self._constructed(view, scope, call)
        if isinstance(function, Name):
            return self._named_method(view, scope, function.id, call)
        if isinstance(function, Attribute):
            values = self.evaluate(view, scope, function.base, call.line)
            return union(self._method_of(value, function.name, view, scope, call) for value in values)
        return ()

    def _named_method(self, view: FileView, scope: int, name: str, call: CallExpr) -> Values:
        number = scope
        while number >= 0:
            facts = view.facts.scopes[number]
            if facts.kind == "class" and facts.definition >= 0:
                owner = Class(view.path, facts.definition)
                receiver = Instance(owner.path, owner.index, is_self=True)
                found = self._chosen(self.methods(owner, name), receiver, view, scope, call)
                found = found or self._outside(owner, name)
                if found:
                    return found
            number = facts.parent
        return self._static_import(view, scope, name, call)

    def _static_import(self, view: FileView, scope: int, name: str, call: CallExpr) -> Values:
        for item in view.facts.imports:
            if item.kind != "static" or not item.names or item.names[0].alias not in (name, "*"):
                continue
            is_star = item.names[0].alias == "*"
            dotted = item.specifier if is_star else item.specifier.rpartition(".")[0]
            owners = JAVA_RULES.named(self, view, dotted)
            found = union(self._method_of(owner, name, view, scope, call) for owner in owners)
            if found:
                return found
            if not owners and not is_star:
                return (External(item.specifier),)
        return ()

    def _method_of(self, value: Value, name: str, view: FileView, scope: int, call: CallExpr) -> Values:
        match value:
            case Instance(path=path, index=index) | Class(path=path, index=index):
                owner = Class(path, index)
                found = self._chosen(self.methods(owner, name), value, view, scope, call)
                return found or self._outside(owner, name)
            case Super(path=path, index=index, receiver=receiver):
                behind = self.ancestors(Class(path, index))[1:]
                for ancestor in behind:
                    found = self._chosen(self.methods(ancestor, name), receiver, view, scope, call)
                    if found:
                        return found
                return self._outside(Class(path, index), name)
            case Elements() | Literal():
                return (Method(value, name),)
            case External(name=outer):
                return (External(f"{outer}.{name}"),)
            case Constant(type=kind) if kind != "none":
                return (External(f"{_CONSTANTS.get(kind, kind)}.{name}"),)
            case _:
                return ()

    def _constructed(self, view: FileView, scope: int, call: CallExpr) -> Values:
        function = call.function
        if isinstance(function, ClassRef):
            return ()
        if isinstance(function, Name) and function.id in ("this", "super"):
            owner = self._class_around(view, scope)
            if owner is None or owner.index < 0:
                return ()
            owners = (owner,) if function.id == "this" else self.bases(owner)[:1]
            return union(self._made(item, view, scope, call) for item in owners)
        values = self._type_itself(view, scope, function)
        if not values and isinstance(function, Attribute):  # `outer.new Inner()`
            values = union(self.attribute(value, function.name) for value in self._owner_types(view, scope, function))
        return union(self._made(value, view, scope, call) if isinstance(value, Class) else (value,) for value in values)

    def _owner_types(self, view: FileView, scope: int, function: Attribute) -> Values:
        values = self.evaluate(view, scope, function.base, 0)
        return tuple(Class(value.path, value.index) for value in values if isinstance(value, Instance))

    def _made(self, owner: Class, view: FileView, scope: int, call: CallExpr) -> Values:
        return self._chosen(self.constructors(owner), None, view, scope, call) or (owner,)

    def _chosen(
        self, methods: list[tuple[str, int]], receiver: Value | None, view: FileView, scope: int, call: CallExpr
    ) -> Values:
        """Return the overloads that fit a call."""
        scopes = [(path, self.view(path).facts.definitions[index].scope) for path, index in methods]
        shapes = [self.view(path).parameters(number) for path, number in scopes]
        fits = best_fits(shapes, len(call.arguments), lambda place: self._types_of(view, scope, call, place))
        bound = receiver if isinstance(receiver, Instance) else None
        return tuple(Function(*scopes[place], bound) for place in fits)

    def _types_of(self, view: FileView, scope: int, call: CallExpr, place: int) -> tuple[str, ...]:
        """Return the simple names of the types that an argument has, the nearest first."""
        argument = call.arguments[place]
        match argument:
            case ConstantExpr(type=kind):
                return (_CONSTANTS[kind],) if kind in _CONSTANTS else ()
            case FunctionRef():
                return ("lambda",)
            case _:
                values = self.evaluate(view, scope, argument, call.line)
                known = self._type_names(values[0]) if len(values) == 1 else ()
                declared = _declared_type(view, scope, argument.id) if isinstance(argument, Name) else ""
                return known if not declared or declared in known else (declared, *known)

    def _type_names(self, value: Value) -> tuple[str, ...]:
        match value:
            case Constant(type=kind):
                return (_CONSTANTS[kind],) if kind in _CONSTANTS else ()
            case Instance(path=path, index=index):
                order = self.ancestors(Class(path, index))[:_MAX_TYPES]
                return tuple(self.view(item.path).facts.definitions[item.index].name for item in order)
            case External(name=name) if name.endswith("()"):
                last = name.removesuffix("()").rpartition(".")[2]
                is_type = last[:1].isupper() or "." not in name
                return (last,) if is_type else ()
            case _:
                return ()

    def _call(self, view: FileView, scope: int, call: CallExpr, line: int) -> Values:
        if call.constructs:
            if isinstance(call.function, ClassRef):
                return super()._call(view, scope, call, line)
            return self.types(view, scope, call.function, line)
        return union(self.called(value, call, view, scope) for value in self.callee(view, scope, call))

    # -- collections ----------------------------------------------------------------------------------------------

    def item(self, value: Value, keys: Values) -> Values:
        return value.items if isinstance(value, Elements) and value.kind == "list" else super().item(value, keys)

    def container_call(self, method: Method, call: CallExpr | None, view: FileView, scope: int) -> Values:
        owner, name = method.owner, method.name
        if not isinstance(owner, Elements):
            return ()
        if owner.kind == "dict":
            return _map_call(owner, name)
        if name in ONE_ITEM:
            return owner.items
        if name in MAPPING and call is not None and call.arguments:
            made = union(self._result_of(value) for value in self.evaluate(view, scope, call.arguments[0], call.line))
            held = union(self.elements(value) for value in made) if name == "flatMap" else made
            return (Elements("list", held),)
        return (owner,) if name in SAME else ()

    def _result_of(self, value: Value) -> Values:
        return self.returned(value) if isinstance(value, Function) else ()

    def passed(self, view: FileView, scope: int, call: CallExpr) -> Iterable[tuple[Function, int, Values]]:
        """Return what the methods of collections hand to functions without a name: `options.forEach(o -> ...)`."""
        function = call.function
        if not isinstance(function, Attribute) or function.name not in HANDING:
            return
        bodies = [argument.scope for argument in call.arguments if isinstance(argument, FunctionRef)]
        if not bodies:
            return
        for value in self.evaluate(view, scope, function.base, call.line):
            if not isinstance(value, Elements):
                continue
            groups = (value.items, value.values) if value.kind == "dict" else (value.items, value.items)
            for body in bodies:
                for place in range(min(len(view.parameters(body)), 2)):
                    yield Function(view.path, body), place, groups[place]


def _declared_type(view: FileView, scope: int, name: str) -> str:
    """Return the simple name of the type that a parameter, local or field is declared with, empty if there is none."""
    number = scope
    while number > 0:
        for parameter in view.parameters(number):
            if parameter.name == name:
                return "[]" if parameter.kind == "rest" else simple_name(parameter.annotation)
        bindings = view.bindings(number, name)
        declared = bindings.declared[-1].assign if bindings is not None and bindings.declared else None
        if declared is not None:
            return simple_name(declared.value)
        number = view.facts.scopes[number].parent
    return ""


def _map_call(owner: Elements, name: str) -> Values:
    """Return what a method of a map or of one of its entries gives."""
    match name:
        case "get" | "getOrDefault" | "put" | "remove" | "computeIfAbsent" | "getValue":
            return owner.values
        case "values":
            return (Elements("list", owner.values),)
        case "keySet" | "navigableKeySet":
            return (Elements("list", owner.items),)
        case "entrySet":
            return (Elements("list", (owner,)),)
        case "getKey" | "firstKey" | "lastKey":
            return owner.items
        case _:
            return ()
