"""One pass over a syntax tree for languages of which definitions, imports and the names of calls are kept.

A language is a table: which kinds of nodes define something, and functions for what a table cannot say. The nodes that
the table names are captured in the order of the source, and the bodies that are open around each are known from where
they end, so the depth of a tree costs nothing. The rules that must stay true: nothing here knows the syntax of a
language, a node is handled once, and what was lost to broken syntax is noted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from msgspec import Struct, structs
from tree_sitter import Language, Node, Parser, Query, QueryCursor

from graph.extract.facts import CallExpr, Collection, Constant, Definition, Expr, Facts, Import, ImportedName, Name
from graph.extract.outline_comments import CommentStyle, comment_above, file_comment
from graph.extract.outline_names import MAX_SIGNATURE, head_line, named_expr, one_line, shortened
from graph.extract.outline_parse import parse_bounded
from graph.extract.python_scopes import Body
from graph.extract.slash_comments import count_errors, count_lines, markers_in
from graph.model import NodeKind

__all__ = ["Defines", "Handler", "Outline", "OutlineReader", "Reader", "extract_outline", "reader_of"]

_MAX_NAME = 120
_MAX_QUALNAME = 400
_MAX_USES = 2_000
"""Names of types that are kept of a file for imports of whole packages."""


class Defines(Struct, frozen=True):
    """A kind of node that defines one thing whose parts stand where they usually do."""

    kind: NodeKind
    opens: str = ""
    """The kind of scope that its body is (`class`, `function`); empty when nothing is defined inside."""
    name: str = "name"
    """The field of the name; where it is missing, the first child of a kind in `Outline.names` is taken."""
    body: tuple[str, ...] = ("body",)
    """Fields, or kinds of children, at the first of which the signature ends."""
    modifiers: tuple[str, ...] = ()
    """What this kind of node says by itself."""


Handler: TypeAlias = "Callable[[OutlineReader, Node], None]"


class Outline(Struct, frozen=True, kw_only=True):
    """A language as the reader sees it."""

    language: str
    nodes: Mapping[str, Defines | Handler]
    """By kind of node."""
    comments: frozenset[str]
    style: CommentStyle
    names: tuple[str, ...] = ("identifier",)
    """Kinds of nodes that are names."""
    modifiers: frozenset[str] = frozenset()
    """Kinds of children that hold modifiers as words."""
    annotations: frozenset[str] = frozenset()
    """Kinds of children, or of children of modifiers, that are annotations."""
    bases: frozenset[str] = frozenset()
    """Kinds of children that list the types which a definition extends or implements."""
    not_bases: frozenset[str] = frozenset()
    """Kinds of nodes in such a list that are no types, such as the arguments of the constructor of a base."""
    hidden: frozenset[str] = frozenset({"private", "fileprivate"})
    """Modifiers of what other files cannot see."""
    test_annotations: frozenset[str] = frozenset()
    uses: frozenset[str] = frozenset()
    """Kinds of nodes that may name a type; capitalised ones are kept where an import takes in a whole package."""


class Reader(Struct, frozen=True):
    """A language with its grammar loaded."""

    outline: Outline
    parser: Parser
    query: Query
    handlers: Mapping[str, Handler]


def reader_of(outline: Outline, language: Language) -> Reader:
    """Return what reads the files of a language."""
    handlers = {kind: _definer(rule) if isinstance(rule, Defines) else rule for kind, rule in outline.nodes.items()}
    handlers |= {kind: OutlineReader.use for kind in outline.uses if kind not in handlers}
    return Reader(
        outline, Parser(language), Query(language, f"[{' '.join(f'({kind})' for kind in handlers)}] @n"), handlers
    )


def extract_outline(reader: Reader, data: bytes) -> Facts:
    """Return what one file says; never raises, whatever the bytes are."""
    outline = reader.outline
    tree, notes = parse_bounded(reader.parser, data, nests_comments=outline.style.mark == b"//")
    if tree is None:
        return Facts(language=outline.language, line_count=count_lines(data), notes=notes)
    root = tree.root_node
    walk = OutlineReader(data, outline)
    walk.notes.update(notes)
    walk.read(QueryCursor(reader.query).captures(root).get("n", []), reader.handlers)
    return Facts(
        language=outline.language,
        line_count=count_lines(data),
        definitions=tuple(walk.definitions),
        imports=tuple(walk.imports),
        scopes=tuple(body.scope() for body in walk.bodies),
        exports=(*walk.exports, *walk.used()),
        markers=markers_in(data, root, outline.comments),
        doc=file_comment(data, outline.style),
        error_count=count_errors(root),
        notes=tuple(sorted(walk.notes)),
    )


def _definer(rule: Defines) -> Handler:
    def handler(walk: OutlineReader, node: Node) -> None:
        walk.define_by(rule, node)

    return handler


class OutlineReader:
    """The state of a pass, and the words in which a language writes down what it meets."""

    def __init__(self, data: bytes, outline: Outline) -> None:
        self.data = data
        self.outline = outline
        self.bodies: list[Body] = [Body("module", 0, None, "")]
        self.body = self.bodies[0]
        self.definitions: list[Definition] = []
        self.imports: list[Import] = []
        self.exports: list[tuple[str, Expr]] = []
        self.notes: set[str] = set()
        self.visibility: dict[int, str] = {}
        """By number of a body: what its later definitions are unless they say otherwise (`private` in Ruby)."""
        self.types: dict[str, int] = {}
        """By qualname: the body of a type of this file."""
        self.passing: set[int] = set()
        """Where assignments begin that hold for one command only (shell)."""
        self.waiting: dict[int, int] = {}
        """By first byte of a function expression: the definition that it is the body of (Lua)."""
        self._ends: list[tuple[int, Body]] = []
        self._ordinals: dict[str, int] = {}
        self._uses: dict[str, None] = {}

    def read(self, nodes: list[Node], handlers: Mapping[str, Handler]) -> None:
        """Handle the nodes in the order of the source, an outer one before those inside."""
        nodes.sort(key=_place)
        for node in nodes:
            start = node.start_byte
            while self._ends and self._ends[-1][0] <= start:
                self.body = self._ends.pop()[1]
            try:
                handlers[node.type](self, node)
            except (IndexError, ValueError):
                # Recovery may leave any node without the children that its grammar promises.
                self.notes.add("a broken item was not understood")

    # -- reading --------------------------------------------------------------------------------------------------

    def text(self, node: Node, limit: int = 2_000) -> str:
        """Return the source text of a node, cut to a number of bytes."""
        return self.data[node.start_byte : min(node.end_byte, node.start_byte + limit)].decode("utf-8", "replace")

    def tail(self, node: Node) -> str:
        """Return the last part of the text of a node, in which the name of what it stands for is."""
        return self.data[max(node.start_byte, node.end_byte - 200) : node.end_byte].decode("utf-8", "replace")

    def child(self, node: Node, *wanted: str) -> Node | None:
        """Return the child in the first of these fields, else the first child of one of these kinds."""
        for field in wanted:
            found = node.child_by_field_name(field)
            if found is not None:
                return found
        return next((child for child in node.named_children if child.type in wanted), None)

    def children(self, node: Node, *kinds: str) -> list[Node]:
        """Return the children of these kinds."""
        return [child for child in node.named_children if child.type in kinds]

    def string(self, node: Node | None) -> str | None:
        """Return the text of a string literal in which nothing is computed, else None."""
        if node is None or "string" not in node.type:
            return None
        inner = node.named_children
        if not inner:
            return self.text(node).strip("\"'") or None
        is_plain = len(inner) == 1 and inner[0].type in ("string_content", "string_fragment")
        return self.text(inner[0]) if is_plain else None

    # -- writing down ---------------------------------------------------------------------------------------------

    def define_by(self, rule: Defines, node: Node) -> None:
        """Define what a table row says of a node."""
        name = node.child_by_field_name(rule.name) or self.child(node, *self.outline.names)
        if name is None:
            self.notes.add(f"a {node.type.replace('_', ' ')} without a name was left out")
            return
        self.define(rule.kind, name, node, opens=rule.opens, stop=self.child(node, *rule.body), extra=rule.modifiers)

    def define(  # noqa: PLR0913 - a definition has this many parts; each caller names them
        self,
        kind: NodeKind,
        name_node: Node,
        node: Node,
        *,
        name: str = "",
        opens: str = "",
        stop: Node | None = None,
        extra: tuple[str, ...] = (),
        first: Node | None = None,
        body: Body | None = None,
        bases: tuple[Expr, ...] | None = None,
        signature: str | None = None,
        is_test: bool = False,
    ) -> int:
        """Append a definition to a body, the current one by default, open its own, and return its index.

        `stop` is where its signature ends, `first` where its source begins when that is not `node`.
        """
        body = body or self.body
        name = shortened(name or self.text(name_node, 400), _MAX_NAME)
        qualname = shortened(body.qualname + name, _MAX_QUALNAME)
        ordinal = self._ordinals[qualname] = self._ordinals.get(qualname, 0) + 1
        modifiers, decorators = self.marks(node, stop)
        modifiers |= set(extra)
        visibility = self.visibility.get(body.number)
        if visibility and kind is NodeKind.METHOD and not {"static", "public", "private", "protected"} & modifiers:
            modifiers.add(visibility)
        if kind is NodeKind.FUNCTION and body.kind == "class":
            kind = NodeKind.METHOD
        top = first or node
        start_line = min(top.start_point[0], name_node.start_point[0]) + 1
        index = len(self.definitions)
        scope = self._open(opens, node, qualname, index, body) if opens else -1
        self.definitions.append(
            Definition(
                kind=kind,
                name=_simple(name),
                qualname=qualname,
                start_line=start_line,
                end_line=max(node.end_point[0], name_node.end_point[0], start_line - 1) + 1,
                name_line=name_node.start_point[0] + 1,
                signature=self.signature(node, stop) if signature is None else signature,
                doc=comment_above(self.data, top.start_byte, self.outline.style),
                scope=scope,
                owner=body.number,
                bases=self.bases_of(node) if bases is None else bases,
                decorators=decorators,
                modifiers=tuple(sorted(modifiers)),
                exported=self.outline.hidden.isdisjoint(modifiers),
                is_test=is_test or any(_last(item) in self.outline.test_annotations for item in decorators),
                ordinal=ordinal,
            )
        )
        return index

    def _open(self, kind: str, node: Node, qualname: str, index: int, parent: Body) -> int:
        before = self.body
        number = self.enter(kind, node, f"{qualname}.", index, parent).number
        if before is not parent:
            self._ends[-1] = (node.end_byte, before)
        if kind == "class":
            self.types.setdefault(qualname, number)
        return number

    def enter(self, kind: str, node: Node, prefix: str, definition: int = -1, parent: Body | None = None) -> Body:
        """Open a body that ends where `node` ends; `prefix` stands before the names defined in it."""
        opened = Body(kind, len(self.bodies), parent or self.body, prefix, definition)
        self.bodies.append(opened)
        self._ends.append((node.end_byte, self.body))
        self.body = opened
        return opened

    def own(self, index: int) -> None:
        """Give a definition the current body as its scope."""
        self.definitions[index] = structs.replace(self.definitions[index], scope=self.body.number)

    def reenter(self, node: Node, body: Body) -> None:
        """Go on in an earlier body until `node` ends: an extension adds to the type it names."""
        self._ends.append((node.end_byte, self.body))
        self.body = body

    def signature(self, node: Node, stop: Node | None) -> str:
        """Return the head of a definition on one line, without its annotations and its body."""
        start = node.start_byte
        for child in node.children:
            if child.type in self.outline.annotations:
                start = child.end_byte
            elif child.type in self.outline.modifiers:
                inner = self.children(child, *self.outline.annotations)
                start = inner[-1].end_byte if inner else start
                break
            else:
                break
        end = stop.start_byte if stop is not None else node.end_byte
        raw = self.data[start : max(start, min(end, start + 4 * MAX_SIGNATURE))].decode("utf-8", "replace")
        return one_line(raw) if stop is not None else head_line(raw)

    def marks(self, node: Node, stop: Node | None) -> tuple[set[str], tuple[Expr, ...]]:
        """Return the modifiers and annotations that stand before the body of a definition."""
        words: set[str] = set()
        notes: list[Expr] = []
        outline = self.outline
        end = stop.start_byte if stop is not None else node.end_byte
        for child in node.children:
            if child.start_byte >= end:
                break
            if child.type in outline.annotations:
                notes.extend(self.annotation(child))
            elif child.type in outline.modifiers:
                inner = self.children(child, *outline.annotations)
                notes.extend(found for item in inner for found in self.annotation(item))
                raw = self.data[inner[-1].end_byte if inner else child.start_byte : child.end_byte][:200]
                words.update(word for word in raw.decode("utf-8", "replace").split() if word.isidentifier())
        return words, tuple(notes)

    def annotation(self, node: Node) -> list[Expr]:
        """Return the names in an annotation; one pair of brackets may hold several."""
        groups = [node, *self.children(node, "attribute_group")]
        several = [child for group in groups for child in self.children(group, "attribute")]
        texts = [self.text(item, 200) for item in several or [node]]
        return [expr for text in texts if (expr := named_expr(text.lstrip("@#[ "))) is not None]

    def bases_of(self, node: Node) -> tuple[Expr, ...]:
        """Return the types that a definition says it extends or implements, in order."""
        found: list[Expr] = []
        for group in self.children(node, *self.outline.bases) if self.outline.bases else ():
            items = [item for item in group.named_children if item.type not in self.outline.not_bases]
            found.extend(expr for item in items if (expr := named_expr(self.text(item, 200))) is not None)
        return tuple(found[:64])

    def imported(
        self,
        node: Node,
        specifier: str,
        kind: str = "module",
        names: tuple[ImportedName, ...] = (),
        *,
        level: int = 0,
        conditional: bool = False,
    ) -> None:
        """Record one import."""
        line = node.start_point[0] + 1
        end_line = node.end_point[0] + 1
        number = self.body.number
        self.imports.append(
            Import(specifier[:400], kind, line, names, level, number, is_conditional=conditional, end_line=end_line)
        )

    def call(self, function: Expr, node: Node, at: Node, *, constructs: bool = False) -> None:
        """Record a call in the current body; `at` is where the name of what is called stands."""
        line, start = at.start_point[0] + 1, node.start_point[0] + 1
        self.body.calls.append(
            CallExpr(function, line, constructs=constructs, start_line=start if start != line else 0)
        )

    def use(self, node: Node) -> None:
        """Keep the name of what may be a type."""
        if self.data[node.start_byte : node.start_byte + 1].isupper() and len(self._uses) < _MAX_USES:
            self._uses.setdefault(self.text(node, _MAX_NAME))

    def used(self) -> tuple[tuple[str, Expr], ...]:
        """Return the export that keeps the used names, where an import takes in a whole package."""
        if not self._uses or not any(name.name == "*" for item in self.imports for name in item.names):
            return ()
        return (("uses", Collection("set", tuple(Name(name) for name in sorted(self._uses)))),)

    def package(self, name: str) -> None:
        """Record the package or namespace that a file belongs to."""
        if name and ("package", Constant("str", name)) not in self.exports:
            self.exports.append(("package", Constant("str", name[:400])))


def _place(node: Node) -> tuple[int, int]:
    return node.start_byte, -node.end_byte


def _last(expr: Expr) -> str:
    return getattr(expr, "name", "") or getattr(expr, "id", "")


def _simple(name: str) -> str:
    """Return the last part of a dotted name; operators such as `..<` are no dotted names."""
    last = name.rsplit(".", 1)[-1]
    return last if last[:1].isalpha() or last[:1] == "_" else name
