"""Members in JavaScript: object literals, prototypes, properties hung on anything, namespaces, arrays and promises."""

# ruff: noqa: D102 - the questions that a part answers for the others are described once, in `EvaluatorCore`
from __future__ import annotations

from graph.extract.facts import Attribute
from graph.extract.facts import Constant as ConstantExpr
from graph.resolve.core import union
from graph.resolve.properties_javascript import ScriptProperties
from graph.resolve.values import (
    Class,
    Constant,
    Elements,
    External,
    Function,
    Instance,
    Literal,
    Method,
    Module,
    ParameterOf,
    Shape,
    Value,
    Values,
)
from graph.resolve.views import FileView
from graph.resolve.views_javascript import ScriptView

__all__ = ["INVOKING", "ScriptMembers"]

_PROMISE = frozenset({"then", "catch", "finally"})
INVOKING = frozenset({"call", "apply", "bind"})
"""Methods of functions that call them, now or later."""
_NEVER_INDEXED = _PROMISE | {"constructor", "prototype", "__proto__"}
_MAX_INHERITED = 40
_MAX_PROTOTYPES = 8


class ScriptMembers(ScriptProperties):
    """What stands behind a dot."""

    def attribute(self, value: Value, name: str) -> Values:
        found = self._own_attribute(value, name)
        if not found and name != "__proto__" and isinstance(value, Shape | Literal | Function | Instance | Class):
            found = self.guarded(("inherited", value, name), lambda: self._inherited(value, name))
        if not found and name in _PROMISE and not isinstance(value, External):
            return (Method(value, name),)  # a promise is taken for what it promises
        return found

    def _inherited(self, value: Value, name: str) -> Values:
        """Look in the prototypes that `__proto__` or `Object.setPrototypeOf` gave to an object."""
        match value:
            case Shape() | Literal() | Function():
                prototypes = self._own_attribute(value, "__proto__")
            case Instance(path=path, index=index):
                prototypes = self.hung(Instance(path, index), "__proto__")
            case Class():
                prototypes = self.hung(value, "__proto__")
            case _:
                return ()
        inherited = union(
            self.attribute(item, name) for item in prototypes if item != value and not isinstance(item, Method)
        )
        return inherited or self._tabled(value, name) or self._by_index_signature(value, name)

    def _by_index_signature(self, value: Value, name: str) -> Values:
        """Return what `[key: string]: T` says of a member that nothing else declares."""
        if not isinstance(value, Shape | Instance) or name in _NEVER_INDEXED or name[:1] in "[(<":
            return ()
        return self._own_attribute(value, "[]")

    def below(self, value: Value, name: str) -> Values:
        """Return a member of the objects of the same file that inherit from an object, which `this` may be in it."""
        view = self._home(value) if isinstance(value, Shape) else None
        if view is None or not view.attributes.get("__proto__"):
            return ()
        return self.guarded(("below", value, name), lambda: self._below(view, value, name))

    def _below(self, view: ScriptView, value: Value, name: str) -> Values:
        found: list[Values] = []
        for scope, assign in view.attributes["__proto__"][:_MAX_INHERITED]:
            base = assign.target.base if isinstance(assign.target, Attribute) else None
            if base is not None and value in self.evaluate(view, scope, assign.value, assign.line):
                heirs = self.evaluate(view, scope, base, assign.line)
                found += [self._own_attribute(heir, name) for heir in heirs if heir != value]
        return union(found)

    def _tabled(self, value: Value, name: str) -> Values:
        """Return a property that a table of descriptors gave to an object: `Object.defineProperties(o, table)`."""
        tables = self._own_attribute(value, "<described>") if isinstance(value, Shape | Literal) else ()
        described = union(self._own_attribute(table, name) for table in tables)
        return union(self._own_attribute(item, "value") for item in described)

    def getters(self, value: Value, name: str, wanted: str) -> list[Function]:
        """Return the accessors (`property` or `setter`) that reading or writing `value.name` runs."""
        return self._declared_accessors(value, name, wanted) or self._described_accessors(value, name, wanted)

    def _described_accessors(self, value: Value, name: str, wanted: str) -> list[Function]:
        """Return the accessors that a descriptor gave to a property of a value, or of what it inherits from."""
        how = "getter" if wanted == "property" else wanted
        found: list[Function] = []
        pending = [value, *self._above(value)]
        for owner in pending[:_MAX_PROTOTYPES]:
            view = self._home(owner)
            for scope, assign in self.placed_on(view, owner, name) if view is not None else ():
                if view is not None and assign.how == how:
                    values = self.evaluate(view, scope, assign.value, assign.line)
                    found += [item for item in values if isinstance(item, Function)]
        return found

    def _above(self, value: Value) -> Values:
        """Return what a value inherits from directly: prototypes that were set, instances of the bases of a class."""
        match value:
            case Instance(path=path, index=index):
                return tuple(Instance(item.path, item.index) for item in self.ancestors(Class(path, index))[1:])
            case Shape() | Literal() | Function():
                return self._own_attribute(value, "__proto__")
            case _:
                return ()

    def _home(self, owner: Value) -> ScriptView | None:
        """Return the file that makes a value, which is where its properties are assigned."""
        match owner:
            case Function(path=path) | Class(path=path) | Instance(path=path) | Shape(path=path):
                view: FileView | None = self.view(path)
            case Literal():
                view = self.literal_of(owner)[0]
            case _:
                view = None
        return view if isinstance(view, ScriptView) else None

    def _declared_accessors(self, value: Value, name: str, wanted: str) -> list[Function]:
        if isinstance(value, Instance | Class):
            owners = [
                (item.path, self.view(item.path).facts.definitions[item.index].scope)
                for item in self.ancestors(Class(value.path, value.index))
            ]
        elif isinstance(value, Shape):
            owners = [(value.path, value.scope)]
        else:
            owners = []
        if isinstance(value, Shape | Literal):
            owners += [
                (item.path, item.scope) for item in self._own_attribute(value, "__proto__") if isinstance(item, Shape)
            ]
        found: list[Function] = []
        for path, scope in owners:
            view = self.view(path)
            bindings = view.bindings(scope, name) if scope >= 0 else None
            indexes = [item.definition for item in bindings.everything] if bindings is not None else []
            definitions = [view.facts.definitions[index] for index in indexes if index >= 0]
            found.extend(Function(path, item.scope) for item in definitions if wanted in item.modifiers)
            if found:
                break
        return found

    def _own_attribute(self, value: Value, name: str) -> Values:
        match value:
            case Function() if name in INVOKING:
                return (Method(value, name),)
            case Function(path=path, scope=scope) if name == "prototype":
                return (Shape(path, scope),)
            case Class():
                return self._of_class(value, name)
            case Instance(path=path, index=index) if name == "constructor":
                return (Class(path, index),)
            case Instance():
                return super().attribute(value, name) or self.hung(Instance(value.path, value.index), name)
            case Shape():
                return self.shape_member(value, name)
            case Literal():
                return self._literal_member(value, name) or self._of_list(value, name)
            case Module(path=path):
                found = super().attribute(value, name)
                return found or ((value,) if name == "exports" else ())
            case ParameterOf():
                return ()
            case _:
                return super().attribute(value, name)

    def _of_class(self, value: Class, name: str) -> Values:
        if name == "prototype":
            return union([(Instance(value.path, value.index),), self.hung(value, name)])
        found = super().attribute(value, name)
        return union(
            self._read(self.view(item.path), item) if isinstance(item, Function) else (item,) for item in found
        )

    def _of_list(self, value: Literal, name: str) -> Values:
        """Return a method that every array and map has; what an object inherits is looked for elsewhere."""
        _, _, expr, _ = self.literal_of(value)
        return () if expr.type == "object" else (Method(value, name),)

    def _literal_member(self, value: Literal, name: str) -> Values:
        view, _, expr, _ = self.literal_of(value)
        is_placed = self.is_placed(view, name)
        if not expr.keys and not is_placed:
            return ()
        written = self.item(value, (Constant("str", name),)) if expr.keys else ()
        if isinstance(view, ScriptView) and is_placed:
            key = ("literal hung", value, name)
            written = union([self.guarded(key, lambda: self.placed(view, value, name)), written])
        return written or self.guarded(("spread", value, name), lambda: self._spread_into(value, name))

    def _spread_into(self, value: Literal, name: str) -> Values:
        """Return a member that an object literal takes over: `{...other}`, `Object.create(other)`."""
        view, scope, expr, line = self.literal_of(value)
        pairs = zip(expr.keys, expr.values, strict=False)
        taken = [item for key, item in pairs if isinstance(key, ConstantExpr) and key.type == "spread"]
        sources = union(self.evaluate(view, scope, item, line) for item in taken)
        return union(self.attribute(item, name) for item in sources if item != value)

    # -- objects known by a scope -----------------------------------------------------------------------------------

    def shape_member(self, shape: Shape, name: str) -> Values:
        """Return a member of an object literal, an object type, a namespace, or what a constructor function makes."""
        return self.guarded(("shape", shape, name), lambda: self._shape_member(shape, name))

    def _shape_member(self, shape: Shape, name: str) -> Values:
        view = self.view(shape.path)
        kind = view.facts.scopes[shape.scope].kind
        if kind in ("function", "lambda"):
            return union([self.hung(shape, name), self._from_prototype(view, shape, name)])
        bindings = view.bindings(shape.scope, name)
        written = self.bound(view, bindings, 0) if bindings else ()
        found = union(self._read(view, item) for item in written)
        spread = view.bindings(shape.scope, "...") if kind == "object" and not found else None
        sources = spread.values if spread is not None else []
        copied = union(self.attribute(item, name) for binding in sources for item in self.binding(view, binding))
        return union([self.hung(shape, name), found, copied])

    def _read(self, view: FileView, value: Value) -> Values:
        """Return a member as reading it gives it: a getter is called."""
        if isinstance(value, Function) and value.path == view.path:
            definition = view.definition_of(value.scope)
            if definition is not None and "property" in definition.modifiers:
                return self.called(value, None, view, value.scope)
        return (value,)

    def _from_prototype(self, view: FileView, shape: Shape, name: str) -> Values:
        """Look in what is assigned to `F.prototype`: a literal, `Object.create(G.prototype)`, `new G`."""
        maker = Function(shape.path, shape.scope)
        found: list[Values] = []
        for scope, assign in self.placed_on(view, maker, "prototype"):
            given = self.evaluate(view, scope, assign.value, assign.line)
            found += [self.attribute(value, name) for value in given if value != shape]
        return union(found)

    # -- containers -------------------------------------------------------------------------------------------------

    def item(self, value: Value, keys: Values) -> Values:
        found = super().item(value, keys)
        return union([found, self.inserted(value)]) if isinstance(value, Literal) else found

    def elements(self, value: Value) -> Values:
        match value:
            case Elements(kind="dict", items=keys, values=values):
                return tuple(Elements("tuple", ((keys or (Constant("str", ""),))[0], item)) for item in values)
            case Elements(kind="tuple", items=items):
                return union((item,) for item in items)
            case Literal():
                return union([super().elements(value), self.inserted(value)])
            case _:
                return super().elements(value)
