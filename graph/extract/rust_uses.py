"""What a Rust file takes from others: `use` trees, `extern crate`, and `mod name;`."""

# ruff: noqa: D102 - the handlers are named after the kinds of nodes in the grammar, which says what each of them is
from __future__ import annotations

from tree_sitter import Node

from graph.extract.facts import Expr, Import, ImportedName
from graph.extract.python_scopes import UNKNOWN
from graph.extract.rust_expressions import RustExpressions

__all__ = ["RustUses"]

_MAX_LEAVES = 2_000
"""Names of one `use` tree; no person writes a hundred."""


class RustUses(RustExpressions):
    """Walks imports."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.is_conditional = False
        """The item being walked stands below a `#[cfg]`."""

    def on_use_declaration(self, node: Node) -> Expr:
        tree = node.child_by_field_name("argument")
        if tree is None:
            return UNKNOWN
        leaves = self._leaves(tree)
        is_public = self.is_public(node)
        by_path: dict[str, tuple[list[ImportedName], int]] = {}
        for path, name, alias, line in leaves:
            if not path:
                self._take(name, "module", (ImportedName("", alias),), line, node, is_public=is_public)
            elif name == "self":
                self._take(path, "module", (ImportedName("", alias),), line, node, is_public=is_public)
            else:
                by_path.setdefault(path, ([], line))[0].append(ImportedName(name, alias))
        for path, (names, line) in by_path.items():
            self._take(path, "names", tuple(names), line, node, is_public=is_public)
        return UNKNOWN

    def on_extern_crate_declaration(self, node: Node) -> Expr:
        name, alias = node.child_by_field_name("name"), node.child_by_field_name("alias")
        if name is not None:
            bound = self.text(alias or name)
            line = node.start_point[0] + 1
            self._take(self.text(name), "module", (ImportedName("", bound),), line, node, is_public=False)
        return UNKNOWN

    def declare_module(self, name: str, place: str, node: Node) -> None:
        """Record `mod name;`: the file of that name, or at the place that `#[path]` gives, is a part of this module."""
        line = node.start_point[0] + 1
        self._take(place or name, "declare", (ImportedName("", name),), line, node, is_public=False)

    def is_public(self, node: Node) -> bool:
        """Tell whether an item has a `pub` of any kind."""
        return any(self.kind(child) == "visibility_modifier" for child in node.named_children[:3])

    def _take(
        self, specifier: str, kind: str, names: tuple[ImportedName, ...], line: int, node: Node, *, is_public: bool
    ) -> None:
        self.imports.append(
            Import(
                specifier=specifier,
                kind="reexport" if is_public else kind,
                line=line,
                names=names,
                scope=self.body.number,
                is_conditional=self.is_conditional or self.body.flow > 0,
                end_line=node.end_point[0] + 1,
            )
        )

    def _leaves(self, tree: Node) -> list[tuple[str, str, str, int]]:
        """Return (path, name, alias, line) of each name of a tree in source order, without recursion."""
        found: list[tuple[str, str, str, int]] = []
        open_nodes: list[tuple[Node, str]] = [(tree, "")]
        while open_nodes and len(found) < _MAX_LEAVES:
            node, prefix = open_nodes.pop()
            line = node.start_point[0] + 1
            match self.kind(node):
                case "use_list":
                    open_nodes.extend((part, prefix) for part in reversed(self.parts(node)))
                case "scoped_use_list":
                    path, listed = node.child_by_field_name("path"), node.child_by_field_name("list")
                    if listed is not None:
                        open_nodes.append((listed, self._path(prefix, path)))
                case "use_as_clause":
                    path, alias = node.child_by_field_name("path"), node.child_by_field_name("alias")
                    if path is not None and alias is not None:
                        bound = self.text(alias)
                        whole, name = self._split(prefix, path)
                        found.append((whole, name, "" if bound == "_" else bound, line))
                case "use_wildcard":
                    parts = self.parts(node)
                    found.append((self._path(prefix, parts[0] if parts else None), "*", "*", line))
                case "self" if prefix:
                    found.append((prefix, "self", prefix.rsplit("::", 1)[-1], line))
                case "identifier" | "scoped_identifier" | "self" | "super" | "crate" | "metavariable":
                    whole, name = self._split(prefix, node)
                    found.append((whole, name, name, line))
                case _:
                    self.notes.add("a part of a `use` was not understood")
        return found

    def _path(self, prefix: str, node: Node | None) -> str:
        written = "".join(self.text(node).split()).removeprefix("::") if node is not None else ""
        return f"{prefix}::{written}" if prefix and written else prefix or written

    def _split(self, prefix: str, node: Node) -> tuple[str, str]:
        path, _, name = self._path(prefix, node).rpartition("::")
        return path, name
