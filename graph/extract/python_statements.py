"""Statements of Python: what they bind, define, import and return."""

from __future__ import annotations

from collections.abc import Sequence

from tree_sitter import Node

from graph.extract.facts import (
    Assign,
    Attribute,
    CallExpr,
    Collection,
    Constant,
    Definition,
    Expr,
    Import,
    ImportedName,
    Name,
    Subscript,
)
from graph.extract.python_expressions import ExpressionWalker
from graph.extract.python_scopes import BRANCH, LOOP, STRAIGHT, UNKNOWN
from graph.model import NodeKind

__all__ = ["StatementWalker"]

_MAX_SIGNATURE = 300
_MAX_DOC = 2000
_ENUMS = frozenset({"Enum", "Flag", "IntEnum", "IntFlag", "StrEnum", "ReprEnum"})


class StatementWalker(ExpressionWalker):
    """Walks statements, and collects definitions and imports as it goes."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.definitions: list[Definition] = []
        self.imports: list[Import] = []
        self.ordinals: dict[str, int] = {}
        self.public_names: list[str] | None = None
        self.block_end = 1_000_000_000
        """The last line of the innermost function body: an assertion holds to its end."""

    def top(self, node: Node) -> None:
        """Walk one statement of the module; a broken one that has lost its parts is noted and left."""
        try:
            self.expr(node)
        except (IndexError, ValueError):
            # Recovery may leave any node without the children its grammar promises; checking each of them on the hot
            # path would slow every sound file down for the sake of broken ones.
            self.notes.add("a broken statement was not understood")
            self.depth = 0
            self.body = self.bodies[0]
            self.body.flow = STRAIGHT

    # -- blocks ---------------------------------------------------------------------------------------------------

    def under(self, flow: int, nodes: Sequence[Node]) -> None:
        """Walk nodes that run no more surely than `flow`."""
        body = self.body
        before = body.flow
        body.flow = max(before, flow)
        for node in nodes:
            self.expr(node)
        body.flow = before

    def stmt_if_statement(self, node: Node) -> Expr:
        condition, *branches = node.named_children
        self.expr(condition)
        if branches:
            self.narrow(
                condition, next((b for b in branches if b.kind_id != self.comment_kind), branches[0]).end_point[0] + 1
            )
        self.under(BRANCH, branches)
        return UNKNOWN

    stmt_elif_clause = stmt_if_statement

    def narrow(self, condition: Node, end_line: int) -> None:
        """Record what `isinstance` tests in a condition say of names, up to the end of the lines they guard."""
        open_nodes = [condition]
        while open_nodes:
            node = open_nodes.pop()
            kind = self.kind_of(node)
            if kind == "parenthesized_expression" or (kind == "boolean_operator" and node.children[1].type == "and"):
                open_nodes.extend(node.named_children)
            elif kind == "call" and self.text(node.named_children[0]) == "isinstance":
                arguments = [child for child in node.named_children[-1].named_children if child.is_named]
                if len(arguments) == 2 and self.kind_of(arguments[0]) == "identifier":
                    tested = self.expr_identifier(arguments[0])
                    how = f"narrow:{end_line}"
                    value = self.quietly(arguments[1])
                    self.body.assigns.append(Assign(tested, value, how, condition.start_point[0] + 1, BRANCH))

    def quietly(self, node: Node) -> Expr:
        """Return an expression without recording what it mentions or calls a second time."""
        body = self.body
        calls, references = len(body.calls), len(body.references)
        value = self.expr(node)
        del body.calls[calls:], body.references[references:]
        return value

    def stmt_assert_statement(self, node: Node) -> Expr:
        self.walk(node)
        self.narrow(node.named_children[0], self.block_end)
        return UNKNOWN

    def stmt_while_statement(self, node: Node) -> Expr:
        self.under(LOOP, node.named_children)
        return UNKNOWN

    def stmt_try_statement(self, node: Node) -> Expr:
        for child in node.named_children:
            self.under(STRAIGHT if self.kind_of(child) == "finally_clause" else BRANCH, [child])
        return UNKNOWN

    def stmt_for_statement(self, node: Node) -> Expr:
        target, iterable, *rest = [child for child in node.named_children if child.kind_id != self.comment_kind]
        value = self.expr(iterable)
        line = node.start_point[0] + 1
        before, self.body.flow = self.body.flow, max(self.body.flow, LOOP)
        self.assign(target, value, "iterate", line)
        self.body.flow = before
        self.under(LOOP, rest)
        return UNKNOWN

    def stmt_with_item(self, node: Node) -> Expr:
        inner = node.named_children[0]
        line = node.start_point[0] + 1
        if self.kind_of(inner) == "as_pattern" and inner.named_child_count >= 2:
            context, target = inner.named_children[0], inner.named_children[-1]
            self.assign(target.named_children[0], self.expr(context), "enter", line)
        else:
            self.body.assigns.append(Assign(UNKNOWN, self.expr(inner), "enter", line, self.body.flow))
        return UNKNOWN

    def stmt_except_clause(self, node: Node) -> Expr:
        for child in node.named_children:
            if self.kind_of(child) == "as_pattern" and child.named_child_count >= 2:
                caught, target = child.named_children[0], child.named_children[-1]
                self.assign(target.named_children[0], self.expr(caught), "catch", node.start_point[0] + 1)
            else:
                self.expr(child)
        return UNKNOWN

    def stmt_case_clause(self, node: Node) -> Expr:
        self.under(BRANCH, node.named_children)
        return UNKNOWN

    def stmt_case_pattern(self, node: Node) -> Expr:
        parts = [child for child in node.named_children if child.kind_id != self.comment_kind]
        if len(parts) == 1 and self.kind_of(parts[0]) == "dotted_name" and parts[0].named_child_count == 1:
            target = self.expr_identifier(parts[0])
            self.body.assigns.append(Assign(target, UNKNOWN, line=node.start_point[0] + 1, flow=BRANCH))
            return UNKNOWN
        for part in parts:
            self.expr(part)
        return UNKNOWN

    def stmt_as_pattern(self, node: Node) -> Expr:
        """`case Shape() as s`: the captured name is an instance of the class in the pattern."""
        pattern, target = node.named_children[0], node.named_children[-1]
        value = self.expr(pattern)
        inner = pattern.named_children[0] if pattern.named_child_count == 1 else pattern
        if self.kind_of(inner) == "class_pattern":
            value = self.expr(inner.named_children[0])
        if self.kind_of(target) == "identifier":
            line = node.start_point[0] + 1
            self.body.assigns.append(Assign(self.expr_identifier(target), value, "catch", line, BRANCH))
        return UNKNOWN

    # -- assignments ----------------------------------------------------------------------------------------------

    def expr_assignment(self, node: Node) -> Expr:
        parts = [child for child in node.named_children if child.kind_id != self.comment_kind]
        target, *rest = parts
        line = node.end_point[0] + 1
        annotation: Expr | None = None
        if rest and self.kind_of(rest[0]) == "type":
            annotation = self.annotation(rest[0])
            self.assign(target, annotation, "annotation", line)
            rest = rest[1:]
        if not rest:
            self.variable(target, node, annotation)
            return UNKNOWN
        value = self.mention(self.expr(rest[-1]), rest[-1])
        self.assign(target, value, "value", line)
        self.variable(target, node, annotation)
        return value

    def expr_augmented_assignment(self, node: Node) -> Expr:
        parts = node.named_children
        target = self.expr(parts[0])
        value = self.expr(parts[-1])
        if isinstance(target, Name) and target.id == "__all__" and self.body.kind == "module":
            self.publish(value, more=True)
        return UNKNOWN

    def assign(self, target: Node, value: Expr, how: str, line: int) -> None:
        """Record what a target is given; patterns are taken apart."""
        kind = self.kind_of(target)
        if kind in ("pattern_list", "tuple_pattern", "list_pattern", "tuple", "list", "expression_list"):
            self.unpack(target, value, how, line)
            return
        if kind in ("list_splat_pattern", "parenthesized_expression", "as_pattern_target"):
            for child in target.named_children[:1]:
                self.assign(child, UNKNOWN if kind == "list_splat_pattern" else value, how, line)
            return
        if kind not in ("identifier", "attribute", "subscript"):
            self.expr(target)
            return
        place = self.expr(target)
        self.body.assigns.append(Assign(place, value, how, line, self.body.flow))
        if isinstance(place, Name) and place.id == "__all__" and how == "value" and self.body.kind == "module":
            self.publish(value, more=False)

    def unpack(self, target: Node, value: Expr, how: str, line: int) -> None:
        """Record `a, b = value`: item by item where the value is written out, else by place."""
        parts = [child for child in target.named_children if child.kind_id != self.comment_kind]
        splat = next((i for i, part in enumerate(parts) if self.kind_of(part) == "list_splat_pattern"), len(parts))
        written = isinstance(value, Collection) and value.type in ("tuple", "list") and how == "value"
        for place, part in enumerate(parts):
            if isinstance(value, Collection) and written and len(value.values) == len(parts) and splat == len(parts):
                self.assign(part, value.values[place], "value", line)
            elif place < splat and how in ("value", "iterate", "enter"):
                self.assign(part, value, f"{'unpack' if how == 'value' else how}:{place}", line)
            else:
                self.assign(part, UNKNOWN, "value", line)

    def publish(self, value: Expr, *, more: bool) -> None:
        """Keep `__all__` while it is a literal; anything else makes it unknown for good."""
        if not isinstance(value, Collection) or value.keys:
            return
        names = [item.value for item in value.values if isinstance(item, Constant) and item.type == "str"]
        self.public_names = [*(self.public_names or []), *names] if more else names

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

    def stmt_delete_statement(self, node: Node) -> Expr:
        for child in node.named_children:
            targets = child.named_children if self.kind_of(child) == "expression_list" else [child]
            for target in targets:
                place = self.expr(target)
                if isinstance(place, Name):
                    self.body.assigns.append(Assign(place, UNKNOWN, "delete", node.end_point[0] + 1, self.body.flow))
        return UNKNOWN

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

    # -- jumps and declarations -----------------------------------------------------------------------------------

    def stmt_return_statement(self, node: Node) -> Expr:
        for child in node.named_children:
            if child.kind_id != self.comment_kind:
                self.function_body().returns.append(self.mention(self.expr(child), child))
        return UNKNOWN

    def stmt_raise_statement(self, node: Node) -> Expr:
        for child in node.named_children:
            value = self.mention(self.expr(child), child)
            if isinstance(value, Name | Attribute):
                # `raise Refused` makes an instance of it; the call is written nowhere, so it has no line.
                self.body.calls.append(CallExpr(value, 0))
        return UNKNOWN

    def stmt_global_statement(self, node: Node) -> Expr:
        self.body.globals.extend(self.text(child) for child in node.named_children)
        return UNKNOWN

    def stmt_nonlocal_statement(self, node: Node) -> Expr:
        self.body.nonlocals.extend(self.text(child) for child in node.named_children)
        return UNKNOWN

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
        """Record that each decorator is called with what it decorates; the calls are written nowhere."""
        name_node = node.child_by_field_name("name")
        if name_node is not None:
            name = self.expr_identifier(name_node)
            self.body.calls.extend(CallExpr(decorator, 0, (name,)) for decorator in decorators)

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
        body.parameters = parameters
        body.return_annotation = returns
        body.is_async = is_async
        before, self.block_end = self.block_end, node.end_point[0] + 1
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
        if body_node is not None:
            self.expr(body_node)
        self.body = outer

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
