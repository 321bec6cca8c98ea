"""Facts of a JavaScript or TypeScript file: parse, one pass, and what can only be said once all of it was read.

Any bytes give facts: what is not understood is counted (`error_count`) and said in `notes`, never raised.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from typing import Protocol, cast

from msgspec.structs import replace
from tree_sitter import Language, Node, Parser, Query

from graph.extract.facts import Attribute, Definition, Expr, Facts, Name, Parameter, Scope
from graph.extract.javascript_blocks import BLOCKS
from graph.extract.javascript_branches import BRANCHES
from graph.extract.javascript_classes import CLASSES
from graph.extract.javascript_comments import read_comments
from graph.extract.javascript_expressions import EXPRESSIONS
from graph.extract.javascript_jsdoc import typedefs
from graph.extract.javascript_jsx import JSX
from graph.extract.javascript_modules import MODULES
from graph.extract.javascript_statements import STATEMENTS
from graph.extract.javascript_walk import Handler, ScopeDraft, Walk
from graph.languages import key_language

__all__ = ["extract_javascript"]

_HANDLERS: dict[str, Handler] = {
    **EXPRESSIONS,
    **JSX,
    **CLASSES,
    **MODULES,
    **STATEMENTS,
    **BRANCHES,
    **BLOCKS,
}

_GRAMMARS = {
    "javascript": ("tree_sitter_javascript", "language"),
    "jsx": ("tree_sitter_javascript", "language"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
}


class _Grammar(Protocol):
    def __call__(self) -> object: ...


def extract_javascript(language: str, data: bytes) -> Facts:
    """Return the facts of a file; `language` is a name of `graph.languages` (`javascript`, `jsx`, `typescript`, `tsx`).

    Raises KeyError for another language, ModuleNotFoundError when the grammar is not installed.
    """
    grammar, comment_query = _tools(language)
    root = _parse(language, grammar, data)
    comments = read_comments(root, data, comment_query)
    walk = Walk(data, comments, _HANDLERS, typed=key_language(language) == "typescript")
    walk.run(root)
    if not walk.typed:
        for raw in comments.all:
            for name, expr in typedefs(raw):
                walk.assign(walk.name(name), expr, 0, "type")
    return Facts(
        language=key_language(language),
        line_count=data.count(b"\n") + (1 if data and not data.endswith(b"\n") else 0),
        definitions=_definitions(walk),
        imports=tuple(walk.imports),
        scopes=_scopes(walk),
        exports=tuple(walk.exports),
        markers=comments.markers,
        doc=comments.head,
        error_count=max(walk.error_count, int(root.has_error)),
    )


def _parse(language: str, grammar: Language, data: bytes) -> Node:
    """Parse, and once more without what the grammar does not know; offsets and lines stay the same."""
    root = Parser(grammar).parse(data).root_node
    if root.has_error:
        known = _ACCESSOR.sub(lambda found: found[0][:-_KEYWORD_BYTES] + b" " * _KEYWORD_BYTES, data)
        known = _separate_signatures(known) if language == "typescript" else known
        if known != data:
            again = Parser(grammar).parse(known).root_node
            if not again.has_error or _error_bytes(again) < _error_bytes(root):
                return again
    return root


def _error_bytes(root: Node) -> int:
    return sum(child.end_byte - child.start_byte for child in root.children if child.is_error or child.has_error)


def _separate_signatures(data: bytes) -> bytes:
    """Put `;` into the indentation of lines that begin with `<` where the line before them ends a type.

    The grammar reads `): T` and, on the next line, `<U>(...)` as one generic type; TypeScript ends the member there.
    """
    patched = bytearray(data)
    for match in _LEADING_ANGLE.finditer(data):
        before = data[max(0, match.start() - 400) : match.start()]
        lines = [line.strip() for line in before.split(b"\n")]
        code = next((line for line in reversed(lines) if line and not line.startswith((b"//", b"*", b"/*"))), b"")
        if code[-1:].isalnum() or code.endswith((b">", b")", b"]", b"}", b"'", b'"')):
            patched[match.end() - 2] = ord(";")
    return bytes(patched)


_LEADING_ANGLE = re.compile(rb"\n[ \t]+<")
_ACCESSOR = re.compile(
    rb"(?:^|[{;])[ \t]*(?:@[\w.]+(?:\([^()\n]{0,200}\))?[ \t]+|"
    rb"(?:static|readonly|override|public|private|protected|declare|abstract)[ \t]+){0,6}accessor(?=[ \t]+[#\w$\[])",
    re.MULTILINE,
)
"""`static accessor field`: behind other modifiers, and in scripts anywhere, the grammars take it for a name."""
_KEYWORD_BYTES = len(b"accessor")


@cache
def _tools(language: str) -> tuple[Language, Query]:
    package, function = _GRAMMARS[language]
    make = cast("_Grammar", getattr(import_module(package), function))
    grammar = Language(make())
    return grammar, Query(grammar, "(comment) @comment")


def _definitions(walk: Walk) -> tuple[Definition, ...]:
    """Settle what depends on the rest of the file: what is exported, and which signature has no implementation."""
    public = {expr.id for _, expr in walk.exports if isinstance(expr, Name)}
    is_script = not walk.exports and not walk.imports and not any(d.exported for d in walk.definitions)
    implemented = {d.qualname for d in walk.definitions if "overload" not in d.modifiers}
    settled: list[Definition] = []
    for definition in walk.definitions:
        exported, modifiers = definition.exported, definition.modifiers
        owner = walk.scopes[definition.owner]
        if owner.kind == "class" and owner.definition >= 0:
            exported = settled[owner.definition].exported and "private" not in modifiers
        elif definition.owner == 0 and "detached" not in modifiers:
            exported = exported or is_script or definition.name in public
        if "overload" in modifiers and definition.qualname not in implemented:
            modifiers = tuple("ambient" if modifier == "overload" else modifier for modifier in modifiers)
        if exported != definition.exported or modifiers != definition.modifiers:
            definition = replace(definition, exported=exported, modifiers=modifiers)  # noqa: PLW2901, the settled one
        settled.append(definition)
    return tuple(settled)


def _scopes(walk: Walk) -> tuple[Scope, ...]:
    bindings = _Bindings(walk)
    outer = [bindings.written_outside(number) for number in range(len(walk.scopes))]
    return tuple(
        Scope(
            kind=draft.kind,
            parent=draft.parent,
            definition=draft.definition,
            parameters=_parameters(draft),
            assigns=tuple(draft.assigns),
            calls=tuple(draft.calls),
            returns=tuple(draft.returns),
            yields=tuple(draft.yields),
            references=tuple(item for item in draft.references if bindings.is_worth_keeping(number, item[0])),
            globals=outer[number][0],
            nonlocals=outer[number][1],
            return_annotation=draft.return_annotation,
            is_generator=draft.is_generator,
            is_async=draft.is_async,
        )
        for number, draft in enumerate(walk.scopes)
    )


def _parameters(draft: ScopeDraft) -> tuple[Parameter, ...]:
    """Return the parameters; `arguments`, where it is read, is one more that takes everything."""
    if not draft.takes_all or "arguments" in draft.declared:
        return tuple(draft.parameters)
    return (*draft.parameters, Parameter("arguments", kind="all"))


class _Bindings:
    """Which names of a scope are plain values, so that mentioning them refers to nothing outside the function."""

    def __init__(self, walk: Walk) -> None:
        self._scopes = walk.scopes
        self._named: list[set[str]] = [set() for _ in walk.scopes]
        for definition in walk.definitions:
            if "detached" not in definition.modifiers:
                self._named[definition.owner].add(definition.name)
        for item in walk.imports:
            self._named[item.scope].update(name.alias for name in item.names)
        self._plain = [self._plain_names(draft) for draft in walk.scopes]

    @staticmethod
    def _plain_names(draft: ScopeDraft) -> dict[str, bool]:
        """Return the parameters and local variables, each with whether its members are worth a reference."""
        names = {parameter.name: parameter.annotation is not None for parameter in draft.parameters}
        for assign in draft.assigns:
            if isinstance(assign.target, Name) and not assign.how.startswith(("narrow", "holds")):
                names.setdefault(assign.target.id, True)
        return names

    def written_outside(self, scope: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return what a scope assigns that others declare: globals of the file, and variables of functions around."""
        of_file: list[str] = []
        of_functions: list[str] = []
        for name in sorted(self._scopes[scope].written if scope else ()):
            place = scope
            while place > 0 and not self._declares(place, name):
                place = self._scopes[place].parent
            if place != scope:
                (of_functions if place > 0 else of_file).append(name)
        return tuple(of_file), tuple(of_functions)

    def _declares(self, scope: int, name: str) -> bool:
        draft = self._scopes[scope]
        if draft.kind in {"class", "object"}:
            return False
        parameters = (parameter.name for parameter in draft.parameters)
        return name in draft.declared or name in self._named[scope] or name in parameters

    def is_worth_keeping(self, scope: int, expr: Expr) -> bool:
        root = expr
        while isinstance(root, Attribute):
            root = root.base
        if not isinstance(root, Name):
            return isinstance(expr, Attribute)
        if root.id in {"this", "super"}:
            return isinstance(expr, Attribute)
        while scope >= 0:
            draft = self._scopes[scope]
            if draft.kind not in {"class", "object"}:
                if root.id in self._named[scope]:
                    return True
                if root.id in self._plain[scope]:
                    return isinstance(expr, Attribute) and self._plain[scope][root.id]
            scope = draft.parent
        return False
