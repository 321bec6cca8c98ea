"""Definitions and imports of Python: what a file gives to others, and what it takes."""

# ruff: noqa: D102 - the handlers are named after the kinds of nodes in the grammar, which says what each of them is
from __future__ import annotations

from tree_sitter import Node

from graph.extract.facts import (
    Assign,
    Attribute,
    CallExpr,
    Definition,
    Expr,
    Import,
    ImportedName,
    Name,
    Subscript,
)
from graph.extract.python_heads import HeadWalker
from graph.extract.python_scopes import STRAIGHT, UNKNOWN
from graph.model import NodeKind

__all__ = ["DefinitionWalker"]

_MAX_SIGNATURE = 300
_MAX_DOC = 2000
_ENUMS = frozenset({"Enum", "Flag", "IntEnum", "IntFlag", "StrEnum", "ReprEnum"})


class DefinitionWalker(HeadWalker):
    """Walks what defines names for others: functions, classes, variables, aliases, imports."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.definitions: list[Definition] = []
        self.imports: list[Import] = []
        self.ordinals: dict[str, int] = {}
        self.block_end: int = 1_000_000_000
        """The last line of the innermost function body: an assertion holds to its end."""

    # -- imports --------------------------------------------------------------------------------------------------

    def stmt_import_statement(self, node: Node) -> Expr:
        for child in node.named_children:
            kind = self.kind_of(child)
            if kind == "aliased_import":
                specifier, alias = self.dotted(child.named_children[0]), self.text(child.named_children[-1])
                self.imported(node, specifier, "module", (ImportedName("", alias),), 0)
            elif kind == "dotted_name":
                specifier = self.dotted(child)
                self.imported(node, specifier, "module", (ImportedName("", specifier.split(".", 1)[0]),), 0)
        return UNKNOWN

    def stmt_import_from_statement(self, node: Node) -> Expr:
        module, *listed = [child for child in node.named_children if child.kind_id != self.comment_kind]
        specifier, level = self.dotted(module), 0
        if self.kind_of(module) == "relative_import":
            prefix = module.named_children[0]
            level = self.text(prefix).count(".")
            specifier = self.dotted(module.named_children[1]) if module.named_child_count > 1 else ""
        names: list[ImportedName] = []
        for child in listed:
            kind = self.kind_of(child)
            if kind == "aliased_import":
                names.append(ImportedName(self.text(child.named_children[0]), self.text(child.named_children[-1])))
            elif kind == "dotted_name":
                names.append(ImportedName(self.text(child), self.text(child)))
            elif kind == "wildcard_import":
                names.append(ImportedName("*", "*"))
        self.imported(node, specifier, "names", tuple(names), level)
        return UNKNOWN

    def stmt_future_import_statement(self, _node: Node) -> Expr:
        return UNKNOWN

    def dotted(self, node: Node) -> str:
        """Return a dotted name without the blanks that may stand around its dots."""
        return "".join(self.text(node).split())

    def imported(self, node: Node, specifier: str, kind: str, names: tuple[ImportedName, ...], level: int) -> None:
        """Record one import."""
        self.imports.append(
            Import(
                specifier=specifier,
                kind=kind,
                line=node.start_point[0] + 1,
                names=names,
                level=level,
                scope=self.body.number,
                is_conditional=self.body.flow > STRAIGHT,
                end_line=node.end_point[0] + 1,
            )
        )

    # -- definitions ----------------------------------------------------------------------------------------------

    def define(  # noqa: PLR0913 - a definition has this many parts; each caller names them
        self,
        kind: NodeKind,
        name: str,
        node: Node,
        name_line: int,
        *,
        signature: str = "",
        annotation: Expr | None = None,
        decorators: tuple[Expr, ...] = (),
        bases: tuple[Expr, ...] = (),
        modifiers: tuple[str, ...] = (),
        scope: int = -1,
        start_line: int = 0,
    ) -> int:
        """Append a definition and return its index."""
        qualname = self.body.qualname + name
        ordinal = self.ordinals[qualname] = self.ordinals.get(qualname, 0) + 1
        self.definitions.append(
            Definition(
                kind=kind,
                name=name,
                qualname=qualname,
                start_line=start_line or node.start_point[0] + 1,
                end_line=node.end_point[0] + 1,
                name_line=name_line,
                signature=signature,
                doc=self.docstring(node) if scope >= 0 else "",
                scope=scope,
                owner=self.body.number,
                bases=bases,
                decorators=decorators,
                annotation=annotation,
                modifiers=modifiers,
                exported=not name.startswith("_") or name.endswith("__"),
                ordinal=ordinal,
            )
        )
        return len(self.definitions) - 1

    def stmt_decorated_definition(self, node: Node) -> Expr:
        decorators: list[Expr] = []
        for child in node.named_children:
            kind = self.kind_of(child)
            if kind == "decorator":
                inner = child.named_children[0]
                decorators.append(self.mention(self.expr(inner), inner))
            elif kind == "function_definition":
                self.function(child, tuple(decorators), node.start_point[0] + 1)
                self.decorate(child, decorators)
            elif kind == "class_definition":
                self.klass(child, tuple(decorators), node.start_point[0] + 1)
                self.decorate(child, decorators)
        return UNKNOWN

    def decorate(self, node: Node, decorators: list[Expr]) -> None:
        """Record that each decorator is called with what the ones below it give; the calls are written nowhere."""
        name_node = node.child_by_field_name("name")
        if name_node is not None:
            given: Expr = self.expr_identifier(name_node)
            for decorator in reversed(decorators):
                given = CallExpr(decorator, 0, (given,))
                self.body.calls.append(given)

    def stmt_function_definition(self, node: Node) -> Expr:
        self.function(node, (), node.start_point[0] + 1)
        return UNKNOWN

    def stmt_class_definition(self, node: Node) -> Expr:
        self.klass(node, (), node.start_point[0] + 1)
        return UNKNOWN

    def function(self, node: Node, decorators: tuple[Expr, ...], start_line: int) -> None:
        """Define a function or method, and walk its body."""
        outer = self.body
        name_node = node.child_by_field_name("name")
        parameters_node = node.child_by_field_name("parameters")
        returns_node = node.child_by_field_name("return_type")
        body_node = node.child_by_field_name("body")
        if name_node is None or parameters_node is None:
            self.walk(node)
            return
        name = self.text(name_node)
        is_async = node.children[0].type == "async"
        mark = len(outer.references)
        parameters = self.parameters(parameters_node)
        returns = self.annotation(returns_node) if returns_node else None
        index = self.define(
            NodeKind.METHOD if outer.kind == "class" else NodeKind.FUNCTION,
            name,
            node,
            name_node.start_point[0] + 1,
            signature=self.signature(node, body_node),
            decorators=decorators,
            modifiers=_modifiers(decorators, name, is_async=is_async, is_conditional=outer.flow > STRAIGHT),
            scope=len(self.bodies),
            start_line=start_line,
        )
        body = self.enter("function", f"{outer.qualname}{name}.", index)
        # What its head mentions (types, defaults) is said of the function, not of what stands around it.
        body.references.extend(outer.references[mark:])
        del outer.references[mark:]
        if self.data[name_node.end_byte : name_node.end_byte + 1] == b"[":
            self.type_parameters(node)
        body.parameters = parameters
        body.return_annotation = returns
        body.is_async = is_async
        before, self.block_end = self.block_end, int(node.end_point[0]) + 1
        if body_node is not None:
            self.expr(body_node)
        self.block_end = before
        self.body = outer

    def klass(self, node: Node, decorators: tuple[Expr, ...], start_line: int) -> None:
        """Define a class, and walk its body."""
        outer = self.body
        name_node = node.child_by_field_name("name")
        bases_node = node.child_by_field_name("superclasses")
        body_node = node.child_by_field_name("body")
        if name_node is None:
            self.walk(node)
            return
        name = self.text(name_node)
        bases, keywords = self.arguments(bases_node) if bases_node else ((), ())
        modifiers = {
            f"metaclass:{value.id}" for key, value in keywords if key == "metaclass" and isinstance(value, Name)
        }
        if outer.flow > STRAIGHT:
            modifiers.add("conditional")
        index = self.define(
            _class_kind(bases),
            name,
            node,
            name_node.start_point[0] + 1,
            signature=self.signature(node, body_node),
            decorators=decorators,
            bases=bases,
            modifiers=tuple(sorted(modifiers)),
            scope=len(self.bodies),
            start_line=start_line,
        )
        self.enter("class", f"{outer.qualname}{name}.", index)
        if self.data[name_node.end_byte : name_node.end_byte + 1] == b"[":
            self.type_parameters(node)
        if body_node is not None:
            self.expr(body_node)
        self.body = outer

    def type_parameters(self, node: Node) -> None:
        """Record the `[T: Bound]` of a generic class or function in its body."""
        listed = node.child_by_field_name("type_parameters")
        for parameter in listed.named_children if listed is not None else ():
            inner = parameter.named_children[0] if parameter.named_child_count else parameter
            bound: Expr = UNKNOWN
            if self.kind_of(inner) == "constrained_type":
                named, limit = inner.named_children[0], inner.named_children[-1]
                inner, bound = named.named_children[0], self.annotation(limit)
            if self.kind_of(inner) == "identifier":
                line = inner.start_point[0] + 1
                self.body.assigns.append(Assign(self.expr_identifier(inner), bound, "type", line))

    def signature(self, node: Node, body_node: Node | None) -> str:
        """Return the head of a definition on one line, without its colon."""
        end = body_node.start_byte if body_node is not None else node.end_byte
        raw = self.data[node.start_byte : min(end, node.start_byte + 4 * _MAX_SIGNATURE)]
        lines = raw.decode("utf-8", "replace").split("\n")
        if len(lines) > 1:
            lines = [line.split("  # ", 1)[0] for line in lines]
        text = " ".join(" ".join(lines).split()).rstrip(" :")
        return text.replace("( ", "(").replace(", )", ")").replace(" )", ")")[:_MAX_SIGNATURE]

    def docstring(self, node: Node) -> str:
        """Return the docstring of a definition or module with its indentation taken off."""
        block = node.child_by_field_name("body") if self.kind_of(node) != "module" else node
        for child in block.named_children if block is not None else ():
            kind = self.kind_of(child)
            if kind == "comment":
                continue
            inner = child.named_children[0] if kind == "expression_statement" and child.named_child_count else None
            if inner is not None and self.kind_of(inner) == "string":
                return _clean(self.text(inner))
            break
        return ""

    def variable(self, target: Node, node: Node, annotation: Expr | None) -> None:
        """Define a variable at the first assignment of a name in a module or class body."""
        body = self.body
        if body.kind not in ("module", "class") or self.kind_of(target) != "identifier":
            return
        name = self.text(target)
        if name in body.variables:
            return
        body.variables.add(name)
        line = target.start_point[0] + 1
        signature = self.line_of(node)
        self.define(NodeKind.VARIABLE, name, node, line, signature=signature, annotation=annotation)

    def line_of(self, node: Node) -> str:
        """Return the first line of a statement as its signature."""
        text = self.data[node.start_byte : min(node.end_byte, node.start_byte + _MAX_SIGNATURE)]
        return text.split(b"\n", 1)[0].decode("utf-8", "replace").strip()

    def stmt_type_alias_statement(self, node: Node) -> Expr:
        left, right = node.named_children[0], node.named_children[-1]
        inner = left.named_children[0]
        name = inner.named_children[0] if self.kind_of(inner) == "generic_type" else inner
        value = self.annotation(right)
        line = node.end_point[0] + 1
        self.body.assigns.append(Assign(Name(self.text(name)), value, "value", line, self.body.flow))
        signature = self.line_of(node)
        self.define(
            NodeKind.TYPE, self.text(name), node, name.start_point[0] + 1, signature=signature, annotation=value
        )
        return UNKNOWN


def _modifiers(decorators: tuple[Expr, ...], name: str, *, is_async: bool, is_conditional: bool) -> tuple[str, ...]:
    """Return what the decorators say of a function, by the last part of their names."""
    found = {"async"} if is_async else set[str]()
    if is_conditional:
        found.add("conditional")
    if name.startswith("_") and not name.endswith("__"):
        found.add("private")
    for decorator in decorators:
        last = (
            decorator.name if isinstance(decorator, Attribute) else decorator.id if isinstance(decorator, Name) else ""
        )
        match last:
            case "staticmethod":
                found.add("static")
            case "classmethod" | "overload":
                found.add(last)
            case "abstractmethod":
                found.add("abstract")
            case "setter" | "deleter":
                found.add(last)
            case "contextmanager" | "asynccontextmanager":
                found.add("contextmanager")
            case _ if last.endswith("property"):
                found.add("property")
            case _:
                pass
    return tuple(sorted(found))


def _class_kind(bases: tuple[Expr, ...]) -> NodeKind:
    for base in bases:
        named = base.base if isinstance(base, Subscript) else base
        last = named.name if isinstance(named, Attribute) else named.id if isinstance(named, Name) else ""
        if last in _ENUMS:
            return NodeKind.ENUM
        if last == "Protocol":
            return NodeKind.INTERFACE
    return NodeKind.CLASS


def _clean(text: str) -> str:
    body = text.lstrip("rRuUbBfF")
    quote = body[:3] if body[:3] in ('"""', "'''") else body[:1]
    inner = body[len(quote) : len(body) - len(quote)] if len(body) >= 2 * len(quote) else ""
    lines = inner[: 2 * _MAX_DOC].expandtabs().split("\n")
    indents = [len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()]
    margin = min(indents, default=0)
    cleaned = [lines[0].strip(), *(line[margin:].rstrip() for line in lines[1:])]
    return "\n".join(cleaned).strip()[:_MAX_DOC]
