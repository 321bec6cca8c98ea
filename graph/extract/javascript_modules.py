"""Imports and exports of JavaScript and TypeScript, in every form: ES modules, CommonJS, `import x = require()`.

A `require` or `import()` whose result is bound at once is an import of names; anywhere else it stays a call of
`require` or `import` with the specifier as its argument, beside an import that binds nothing.
"""

from __future__ import annotations

from tree_sitter import Node

from graph.extract.facts import Attribute, Constant, Expr, Import, ImportedName
from graph.extract.javascript_walk import UNKNOWN, Handler, Walk, first_named, last_named

__all__ = ["MODULES", "dynamic_import", "required_module", "requires"]


def import_statement(walk: Walk, node: Node) -> Expr:
    """`import ... from "m"`, `import "m"`, `import x = require("m")`."""
    source = node.child_by_field_name("source")
    line = node.start_point[0] + 1
    names: list[ImportedName] = []
    spaces: list[ImportedName] = []
    for child in node.named_children:
        if child.type == "import_require_clause":
            _import_require(walk, child, line)
            return UNKNOWN
        if child.type == "import_clause":
            _clause(walk, child, names, spaces)
    if source is None:
        return UNKNOWN
    is_type_only = any(child.type in {"type", "typeof"} for child in node.children[:3])
    for kind, bound in (("module", spaces), ("names", names)):
        if bound:
            _add(walk, source, kind, line, tuple(bound), node=node, is_type_only=is_type_only)
    if not names and not spaces:
        _add(walk, source, "effect", line, (), node=node)
    return UNKNOWN


def _clause(walk: Walk, clause: Node, names: list[ImportedName], spaces: list[ImportedName]) -> None:
    for part in clause.named_children:
        match part.type:
            case "identifier":
                names.append(ImportedName("default", walk.text(part)))
            case "namespace_import":
                if inner := first_named(part):
                    spaces.append(ImportedName("", walk.text(inner)))
            case "named_imports":
                names += (_specifier(walk, item) for item in part.named_children if item.type == "import_specifier")
            case _:
                pass


def _specifier(walk: Walk, node: Node) -> ImportedName:
    name, alias = node.child_by_field_name("name"), node.child_by_field_name("alias")
    text = _plain(walk, name)
    return ImportedName(text, _plain(walk, alias) if alias is not None else text)


def _plain(walk: Walk, node: Node | None) -> str:
    """Return a name, which since ES2022 may be a string."""
    return walk.text(node).strip("\"'") if node is not None else ""


def _import_require(walk: Walk, clause: Node, line: int) -> None:
    name, source = first_named(clause), clause.child_by_field_name("source")
    if name is not None and source is not None:
        names = (ImportedName("", walk.text(name)),)
        _add(walk, source, "require", line, names, node=clause)
        if walk.is_exporting:
            walk.exports.append((walk.text(name), walk.name(walk.text(name))))


def import_alias(walk: Walk, node: Node) -> Expr:
    """`import A = N.B`: another name for a part of a namespace."""
    name, target = first_named(node), last_named(node)
    if name is None or target is None:
        return UNKNOWN
    first, *rest = walk.text(target).split(".")
    line = node.start_point[0] + 1
    expr: Expr = walk.name(first.strip())
    for part in rest:
        expr = Attribute(expr, part.strip(), line)
    walk.assign(walk.name(walk.text(name)), expr, line)
    if walk.is_exporting:
        walk.exports.append((walk.text(name), walk.name(walk.text(name))))
    return UNKNOWN


def _add(
    walk: Walk,
    source: Node,
    kind: str,
    line: int,
    names: tuple[ImportedName, ...],
    *,
    node: Node,
    is_type_only: bool = False,
) -> None:
    walk.imports.append(
        Import(
            specifier=walk.text(source)[1:-1],
            kind=kind,
            line=line,
            names=names,
            scope=walk.current,
            is_type_only=is_type_only,
            is_conditional=walk.current != 0,
            end_line=node.end_point[0] + 1,
        )
    )


def export_statement(walk: Walk, node: Node) -> Expr:
    """`export` before a declaration, a list, `default`, `*`, and TypeScript's `export =`."""
    marks = {child.type for child in node.children if not child.is_named}
    source = node.child_by_field_name("source")
    clause = next((child for child in node.named_children if child.type == "export_clause"), None)
    if source is not None:
        _reexport(walk, node, source, clause)
    elif clause is not None:
        for item in clause.named_children:
            _exported_name(walk, item)
    elif "=" in marks:
        inner = last_named(node)
        if inner is not None:
            walk.exports.append(("=", walk.value(inner)))
    elif "namespace" not in marks:
        _exported(walk, node, is_default="default" in marks)
    return UNKNOWN


def _exported(walk: Walk, node: Node, *, is_default: bool) -> None:
    declaration = node.child_by_field_name("declaration")
    value = node.child_by_field_name("value")
    walk.decorators = tuple(walk.visit(child) for child in node.children_by_field_name("decorator"))
    walk.is_exporting, walk.statement_start = True, node.start_byte
    if declaration is not None:
        if walk.decorators:
            walk.statement_start = declaration.start_byte
        expr = walk.visit(declaration)
        if is_default:
            walk.exports.append(("default", expr))
    elif value is not None:
        from graph.extract.javascript_statements import named_value

        walk.exports.append(("default", named_value(walk, value, "default", node.start_point[0] + 1, node)))
    walk.is_exporting, walk.statement_start, walk.decorators = False, -1, ()


def _exported_name(walk: Walk, item: Node) -> None:
    if item.type != "export_specifier":
        return
    spec = _specifier(walk, item)
    name = walk.name(spec.name)
    walk.exports.append((spec.alias, name))
    walk.refer(name, item)


def _reexport(walk: Walk, node: Node, source: Node, clause: Node | None) -> None:
    is_type_only = any(child.type == "type" for child in node.children[:3])
    if clause is not None:
        names = tuple(_specifier(walk, item) for item in clause.named_children if item.type == "export_specifier")
    else:
        space = next((child for child in node.named_children if child.type == "namespace_export"), None)
        inner = first_named(space) if space is not None else None
        names = (ImportedName("*", "") if inner is None else ImportedName("", _plain(walk, inner)),)
    _add(walk, source, "reexport", node.start_point[0] + 1, names, node=node, is_type_only=is_type_only)


def requires(walk: Walk, pattern: Node, value: Node) -> bool:
    """Record `const x = require("m")`, `const {a: b} = require("m")`, `const f = require("m").f`, if it is one of them.

    Returns whether it was; the caller then has nothing left to bind.
    """
    member = ""
    call = value
    if value.type == "member_expression":
        prop, inner = value.child_by_field_name("property"), value.child_by_field_name("object")
        if prop is None or inner is None:
            return False
        member, call = walk.text(prop), inner
    specifier = _required_specifier(walk, call)
    if specifier is None:
        return False
    names = _bound_names(walk, pattern, member)
    if names is None:
        return False
    _add(walk, specifier, "require", call.start_point[0] + 1, names, node=value)
    return True


def _required_specifier(walk: Walk, call: Node) -> Node | None:
    if call.type != "call_expression":
        return None
    function, arguments = call.child_by_field_name("function"), call.child_by_field_name("arguments")
    if function is None or arguments is None or function.type != "identifier" or walk.text(function) != "require":
        return None
    only = first_named(arguments)
    return only if only is not None and only.type == "string" and arguments.named_child_count == 1 else None


def _bound_names(walk: Walk, pattern: Node, member: str) -> tuple[ImportedName, ...] | None:
    """Return what a pattern takes of a module; None when it takes more than plain names."""
    if pattern.type == "identifier":
        return (ImportedName(member, walk.text(pattern)),)
    if pattern.type != "object_pattern" or member:
        return None
    names: list[ImportedName] = []
    for child in pattern.named_children:
        if child.type == "shorthand_property_identifier_pattern":
            names.append(ImportedName(walk.text(child), walk.text(child)))
        elif child.type == "pair_pattern":
            key, target = child.child_by_field_name("key"), child.child_by_field_name("value")
            if key is None or target is None or key.type != "property_identifier" or target.type != "identifier":
                return None
            names.append(ImportedName(walk.text(key), walk.text(target)))
        elif child.type != "comment":
            return None
    return tuple(names)


def required_module(walk: Walk, arguments: tuple[Expr, ...], node: Node) -> None:
    """Record a `require("m")` that stands inside an expression."""
    _add_call(walk, "require", arguments, node)


def dynamic_import(walk: Walk, arguments: tuple[Expr, ...], node: Node) -> None:
    """Record an `import("m")`."""
    _add_call(walk, "dynamic", arguments, node)


def _add_call(walk: Walk, kind: str, arguments: tuple[Expr, ...], node: Node) -> None:
    if arguments and isinstance(arguments[0], Constant) and arguments[0].value:
        line = node.start_point[0] + 1
        conditional = walk.current != 0
        walk.imports.append(
            Import(arguments[0].value, kind, line, (), scope=walk.current, is_conditional=conditional, end_line=line)
        )


MODULES: dict[str, Handler] = {
    "import_statement": import_statement,
    "import_alias": import_alias,
    "export_statement": export_statement,
}
