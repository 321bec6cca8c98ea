"""The heads of functions: parameters, defaults and annotations."""

from __future__ import annotations

from tree_sitter import Node

from graph.extract.facts import Attribute, Collection, Constant, Expr, Name, Parameter, Subscript, Union
from graph.extract.python_annotations import quoted_annotation
from graph.extract.python_expressions import MAX_DEPTH, ExpressionWalker
from graph.extract.python_scopes import UNKNOWN

__all__ = ["HeadWalker"]


class HeadWalker(ExpressionWalker):
    """Walks parameters and annotations."""

    def parameters(self, node: Node) -> tuple[Parameter, ...]:
        """Return the parameters of a function; defaults and annotations belong to the body around it."""
        found: list[Parameter] = []
        kind = "positional"
        for child in node.named_children:
            shape = self.kind_of(child)
            if shape == "keyword_separator":
                kind = "keyword"
            elif shape not in ("positional_separator", "comment"):
                parameter = self.parameter(child, shape, kind)
                if parameter.kind == "rest":
                    kind = "keyword"
                found.append(parameter)
        return tuple(found)

    def parameter(self, node: Node, shape: str, kind: str) -> Parameter:
        """Return one parameter."""
        parts = node.named_children
        if shape == "identifier":
            return Parameter(self.text(node), kind=kind)
        if shape in ("list_splat_pattern", "dictionary_splat_pattern") and parts:
            return Parameter(self.text(parts[0]), kind="rest" if shape.startswith("list") else "keyrest")
        if shape == "typed_parameter" and len(parts) >= 2:
            inner = self.parameter(parts[0], self.kind_of(parts[0]), kind)
            return Parameter(inner.name, self.annotation(parts[-1]), None, inner.kind)
        if shape == "default_parameter" and len(parts) >= 2:
            return Parameter(self.text(parts[0]), None, self.mention(self.expr(parts[-1]), parts[-1]), kind)
        if shape == "typed_default_parameter" and len(parts) >= 3:
            default = self.mention(self.expr(parts[-1]), parts[-1])
            return Parameter(self.text(parts[0]), self.annotation(parts[1]), default, kind)
        return Parameter("", kind=kind)

    # -- annotations ----------------------------------------------------------------------------------------------

    def annotation(self, node: Node) -> Expr:
        """Return an annotation as an expression; the names in it are mentioned, its quotes are taken off."""
        if self.depth > MAX_DEPTH:
            return UNKNOWN
        self.depth += 1
        value = self._annotation(node)
        self.depth -= 1
        return value

    def _annotation(self, node: Node) -> Expr:
        kind = self.kind_of(node)
        children = [child for child in node.named_children if child.kind_id != self.comment_kind]
        match kind:
            case "identifier" | "attribute":
                return self.mention(self.expr(node), node)
            case "string":
                return self._quoted(node)
            case "none":
                return Constant("none")
            case "generic_type" | "subscript" if children:
                return self._generic(children)
            case "union_type":
                return Union(tuple(self.annotation(child) for child in children))
            case "binary_operator":
                return Union(tuple(self.annotation(child) for child in children))
            case "list" | "tuple":
                return Collection("tuple", tuple(self.annotation(child) for child in children))
            case "type" | "parenthesized_expression" | "constrained_type" | "splat_type" if children:
                return self.annotation(children[0])
            case "member_type" if len(children) >= 2:
                return Attribute(self.annotation(children[0]), self.text(children[-1]), node.start_point[0] + 1)
            case _:
                return self.expr(node)

    def _generic(self, children: list[Node]) -> Expr:
        base = self.annotation(children[0])
        inner = children[1].named_children if self.kind_of(children[1]) == "type_parameter" else children[1:]
        indices = tuple(self.annotation(child) for child in inner if child.kind_id != self.comment_kind)
        return Subscript(base, indices[0] if len(indices) == 1 else Collection("tuple", indices))

    def _quoted(self, node: Node) -> Expr:
        parts = node.named_children
        if len(parts) != 3:
            return UNKNOWN
        line = node.start_point[0] + 1
        value = quoted_annotation(self.text(parts[1]), line)
        for name in _dotted_names(value):
            self.body.references.append((name, line))
        return value


def _dotted_names(value: Expr) -> list[Expr]:
    match value:
        case Name() | Attribute():
            return [value]
        case Subscript(base=base, index=index):
            return _dotted_names(base) + _dotted_names(index)
        case Union(options=options):
            return [name for option in options for name in _dotted_names(option)]
        case Collection(values=values):
            return [name for item in values for name in _dotted_names(item)]
        case _:
            return []
