"""Names of JavaScript: `this`, `super`, `module`, lexical scope, and parameters that their place gives a type."""

# ruff: noqa: D102 - the questions that a part answers for the others are described once, in `EvaluatorCore`
from __future__ import annotations

from graph.extract.facts import Assign, Attribute, Collection, Constant, Expr, Name, Subscript
from graph.model import NodeKind
from graph.resolve.bindings import Binding, Bindings
from graph.resolve.calls import argument_of
from graph.resolve.core import union
from graph.resolve.evaluator import Evaluator
from graph.resolve.values import (
    Class,
    Elements,
    Function,
    Instance,
    Module,
    ParameterOf,
    Shape,
    Super,
    Value,
    Values,
)
from graph.resolve.views import FileView
from graph.resolve.views_javascript import ScriptView

__all__ = ["THIS", "ScriptNames"]

THIS = -1
"""The place of `this` among the parameters that calls hand something to."""

_HIDDEN = frozenset({"class", "object"})


class ScriptNames(Evaluator):
    """Lexical scope without class bodies, and the names that the language binds itself."""

    def script(self, path: str) -> ScriptView:
        """Return an opened file of this family."""
        view = self.view(path)
        if not isinstance(view, ScriptView):
            raise TypeError(path)
        return view

    def name(self, view: FileView, scope: int, name: str, line: int) -> Values:
        if name == "this":
            return self.this(view, scope)
        if name == "super":
            return self.super_class(view, scope)
        if name == "new.target":
            return tuple(Class(item.path, item.index) for item in self.this(view, scope) if isinstance(item, Instance))
        found = super().name(view, scope, name, line)
        return found or self._further_out(view, scope, name)

    def _further_out(self, view: FileView, scope: int, name: str) -> Values:
        """Return what a name means that its scope only tests the type of, or that every CommonJS module has."""
        place = self.find(view, scope, name)
        if place is None:
            return (Module(view.path),) if name in ("module", "exports") else ()
        bindings = view.bindings(place[0], name)
        if bindings is None or bindings.values or bindings.declared or place[0] == 0:
            return ()
        return self.name(view, view.facts.scopes[place[0]].parent, name, 0)

    def _global(self, view: FileView, name: str) -> Values:
        return self.of_global(view, name) or super()._global(view, name)

    def of_global(self, view: FileView, name: str) -> Values:
        """Return what a file assigns to a property of the global object."""
        assigns = view.of_global.get(name, ()) if isinstance(view, ScriptView) else ()
        known = [(scope, item) for scope, item in assigns if self._is_global_object(view, scope, item.target)]
        if not known:
            return ()
        key = ("global", view.path, name)
        return self.guarded(key, lambda: union(self.assigned(view, scope, item) for scope, item in known))

    def _is_global_object(self, view: FileView, scope: int, target: Expr) -> bool:
        base = target.base if isinstance(target, Attribute) else None
        return isinstance(base, Name) and self.find(view, scope, base.id) is None

    def assigned(self, view: FileView, scope: int, assign: Assign) -> Values:
        if assign.how == "getter":
            given = self.evaluate(view, scope, assign.value, assign.line)
            return union(self.called(value, None, view, scope) for value in given)
        if assign.how[:6] == "holds:" and isinstance(assign.value, Subscript):
            return self._said_by(view, scope, assign.value, assign.line)
        return () if assign.how == "setter" else super().assigned(view, scope, assign)

    def _said_by(self, view: FileView, scope: int, test: Subscript, line: int) -> Values:
        """Return the type that a call proves of its argument: `isCat(x)` where `isCat` gives `x is Cat`."""
        place = int(getattr(test.index, "value", 0))
        found: list[Values] = []
        for function in self.evaluate(view, scope, test.base, line):
            if not isinstance(function, Function):
                continue
            home = self.view(function.path)
            facts = home.facts.scopes[function.scope]
            match facts.return_annotation:
                case Subscript(base=Name(id="<is>"), index=Collection(values=(Constant(value=name), declared))) if (
                    place < len(facts.parameters) and facts.parameters[place].name == name
                ):
                    found.append(self.settled_types(home, facts.parent, declared, 0))
                case _:
                    pass
        return union(found)

    def _find(self, view: FileView, scope: int, name: str) -> tuple[int, bool] | None:
        scopes = view.facts.scopes
        number, same_frame = scope, True
        while number >= 0:
            facts = scopes[number]
            if facts.kind not in _HIDDEN:
                if view.binds(number, name):
                    return number, same_frame
                same_frame = same_frame and facts.kind == "block"
            number = facts.parent
        return None

    def bound(self, view: FileView, bindings: Bindings, line: int) -> Values:
        """Return what the bindings that reach a line hold; a function wins over the type of its variable."""
        for test in bindings.holding(line):
            if known := self.binding(view, test):
                return known
        defined = [item for item in bindings.reaching(line) if item.definition >= 0] if bindings.declared else []
        return union(self.binding(view, item) for item in defined) or super().bound(view, bindings, line)

    def binding(self, view: FileView, binding: Binding) -> Values:
        if binding.definition >= 0:
            definition = view.facts.definitions[binding.definition]
            if definition.kind is NodeKind.MODULE:
                return (Shape(view.path, definition.scope),)
            if definition.kind is NodeKind.INTERFACE:
                return ()
        return super().binding(view, binding)

    # -- the receiver ---------------------------------------------------------------------------------------------

    def this(self, view: FileView, scope: int) -> Values:
        """Return what `this` may be in a scope."""
        if not isinstance(view, ScriptView):
            return ()
        number = view.this_scope(scope)
        return self.guarded(("this", view.path, number), lambda: self._this(view, number))

    def _this(self, view: ScriptView, number: int) -> Values:
        facts = view.facts.scopes[number]
        if number == 0:
            return (Module(view.path),)  # what a CommonJS module exports
        if facts.kind == "module":
            return ()
        declared = [assign for assign in facts.assigns if _is_this(assign)]
        if declared:
            return union(self.assigned(view, number, assign) for assign in declared)
        parent = view.facts.scopes[facts.parent]
        definition = view.definition_of(number)
        if parent.kind == "class":
            if parent.definition < 0:
                return (Shape(view.path, facts.parent),)
            is_static = facts.kind == "static" or (definition is not None and "static" in definition.modifiers)
            if is_static:
                return (Class(view.path, parent.definition),)
            return (Instance(view.path, parent.definition, is_self=True),)
        if parent.kind == "object":
            return self._described(view, number) or (Shape(view.path, facts.parent),)
        if number in view.this_given:
            at, given = view.this_given[number]
            return self.evaluate(view, at, given, 0)
        handed = self.flows.get((view.path, number, THIS), ())
        if number in view.assigned_to:
            at, target, line = view.assigned_to[number]
            owners = self.evaluate(view, at, target, line)
            return union([owners, handed]) or (Shape(view.path, number),)
        return union([(Shape(view.path, number),), handed])

    def _described(self, view: ScriptView, number: int) -> Values:
        """Return what `this` is in a function of a descriptor: the object that gets the property."""
        if number not in view.assigned_to:
            return ()
        at, target, line = view.assigned_to[number]
        return self.evaluate(view, at, target, line)

    def super_class(self, view: FileView, scope: int) -> Values:
        """Return the class that a call of `super` constructs."""
        owner = self._class_of(view, scope)
        return tuple(self.bases(owner)) if owner is not None else ()

    def super_value(self, view: FileView, scope: int) -> Values:
        """Return what `super` is before a dot."""
        owner = self._class_of(view, scope)
        if owner is None:
            return union(self.attribute(value, "__proto__") for value in self.this(view, scope))
        receivers = self.this(view, scope)
        return tuple(Super(owner.path, owner.index, receiver) for receiver in receivers[:1])

    def _class_of(self, view: FileView, scope: int) -> Class | None:
        if not isinstance(view, ScriptView):
            return None
        index = view.class_around(view.this_scope(scope))
        return Class(view.path, index) if index >= 0 else None

    # -- parameters -----------------------------------------------------------------------------------------------

    def _parameter(self, view: FileView, scope: int, index: int) -> Values:
        parameter = view.parameters(scope)[index]
        outer = view.facts.scopes[scope].parent
        definition = view.definition_of(scope)
        line = definition.start_line if definition else 0
        declared = self.settled_types(view, outer, parameter.annotation, line)
        if parameter.kind in ("rest", "all"):
            return declared or self.flows.get((view.path, scope, index)) or (Elements("list", ()),)
        if declared:
            handed = self.flows.get((view.path, scope, index), ())
            return union([declared, _functions(handed)]) if _functions(declared) else declared
        promised = self.promised(view, scope, index)
        if promised:
            return promised
        handed = self.flows.get((view.path, scope, index), ())
        default = self.evaluate(view, scope, parameter.default, line) if parameter.default is not None else ()
        return union(
            [self._given_at_once(view, scope, index), handed, default, (ParameterOf(view.path, scope, index),)]
        )

    def _given_at_once(self, view: FileView, scope: int, index: int) -> Values:
        """Return the argument of a function that is called where it is written; other files see it too."""
        if not isinstance(view, ScriptView) or scope not in view.immediate:
            return ()
        at, call = view.immediate[scope]
        given = argument_of(view, Function(view.path, scope), index, call)
        return self.evaluate(view, at, given, call.line) if given is not None else ()

    def settled_types(self, view: FileView, scope: int, annotation: Expr | None, line: int) -> Values:
        """Return what an annotation says without type variables; nothing where there is none."""
        raise NotImplementedError

    def promised(self, view: FileView, scope: int, index: int) -> Values:
        """Return what the declared type of the place where a function stands promises of its parameter."""
        if not isinstance(view, ScriptView):
            return ()
        types: Values = ()
        if scope in view.declared:
            owner, annotation = view.declared[scope]
            types = self.types(view, owner, annotation, 0)
        elif scope in view.returned_by:
            types = self._promised_return(view, view.returned_by[scope])
        return union(self.parameter_of(value, index) for value in types)

    def _promised_return(self, view: ScriptView, outer: int) -> Values:
        annotation: Expr | None = view.facts.scopes[outer].return_annotation
        if annotation is not None:
            return self.types(view, view.facts.scopes[outer].parent, annotation, 0)
        if outer in view.declared:
            owner, declared = view.declared[outer]
            functions = self.types(view, owner, declared, 0)
            return union(self.returned(value) for value in functions if isinstance(value, Function))
        return ()

    def parameter_of(self, value: Value, index: int) -> Values:
        """Return what a function of a declared type gets as a parameter."""
        if not isinstance(value, Function):
            return ()
        view = self.view(value.path)
        if index >= len(view.parameters(value.scope)) or view.parameters(value.scope)[index].annotation is None:
            return ()
        found = self.parameter(view, value.scope, index)
        return tuple(item for item in found if not isinstance(item, ParameterOf))


def _functions(values: Values) -> Values:
    return tuple(value for value in values if isinstance(value, Function))


def _is_this(assign: Assign) -> bool:
    return assign.how == "annotation" and getattr(assign.target, "id", "") == "this"
