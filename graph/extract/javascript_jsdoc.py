"""Types that doc comments give in JavaScript: `@param {T} name`, `@returns {T}`, `@type {T}`.

TypeScript itself reads them in `.js` files only, and so do we. The result is the same as for an annotation; what is not
understood (inline object types, function types) is left out.
"""

from __future__ import annotations

import re

from msgspec import Struct

from graph.extract.facts import Attribute, CallExpr, Constant, Expr, Name, Subscript, Union
from graph.extract.facts import Collection as Collected

__all__ = ["NO_TYPES", "DocTypes", "doc_types", "parse_type", "typedefs"]

_TAG = re.compile(r"@(param|arg|argument|returns?|type|this)\s*\{")
_TOKEN = re.compile(r"\s*(?:(?P<name>[A-Za-z_$][\w$]*)|(?P<string>'[^']*'|\"[^\"]*\")|(?P<mark>\.\.\.|\[\]|\S))")
_TYPEDEF = re.compile(r"@typedef\s*\{")
_IMPORT = re.compile(r"@import\s*\{([^}\n]{1,400})\}\s*from\s*['\"]([^'\"\n]{1,200})['\"]")
_TYPE_LIMIT = 400
_DEPTH_LIMIT = 20
_NOTHING = frozenset({"null", "undefined", "any", "unknown"})


class DocTypes(Struct, frozen=True):
    """What one doc comment says of types."""

    parameters: dict[str, Expr]
    order: tuple[Expr | None, ...] = ()
    """The types of the parameters as listed, for those that have no name of their own."""
    returns: Expr | None = None
    type: Expr | None = None
    this: Expr | None = None

    def at(self, position: int) -> Expr | None:
        """Return the type of the parameter at a position, if the comment lists that many."""
        return self.order[position] if position < len(self.order) else None


NO_TYPES = DocTypes({})


def doc_types(raw: str) -> DocTypes:
    """Return the types that a doc comment gives; `NO_TYPES` when there are none."""
    if "@" not in raw or "{" not in raw or not raw.startswith("/**"):
        return NO_TYPES
    given: dict[str, Expr] = {}
    order: list[Expr | None] = []
    single: dict[str, Expr] = {}
    for tag in _TAG.finditer(raw):
        text, end = _braced(raw, tag.end())
        parsed = parse_type(text)
        if tag[1] in {"param", "arg", "argument"}:
            name = _parameter_name(raw, end)
            if "." in name:  # `@param {string} options.name` describes a property
                continue
            order.append(parsed)
            if parsed is not None:
                given.setdefault(name, parsed)
        elif parsed is not None:
            single.setdefault(tag[1].rstrip("s") if tag[1] != "this" else "this", parsed)
    return DocTypes(given, tuple(order), single.get("return"), single.get("type"), single.get("this"))


def typedefs(raw: str) -> list[tuple[str, Expr]]:
    """Return the types that a doc comment names: `@typedef {T} Name`, `@import {A, B as C} from "m"`."""
    found: list[tuple[str, Expr]] = []
    if "@typedef" in raw:
        for tag in _TYPEDEF.finditer(raw):
            text, end = _braced(raw, tag.end())
            parsed, name = parse_type(text), _parameter_name(raw, end)
            if parsed is not None and name and parsed != Name("Object") and parsed != Name("object"):
                found.append((name, parsed))
    if "@import" in raw:
        for tag in _IMPORT.finditer(raw):
            module = CallExpr(Name("import"), 0, (Constant("str", tag[2]),))
            for part in tag[1].replace("*", " ").split(","):
                name, _, alias = part.strip().partition(" as ")
                if name.strip():
                    found.append(((alias or name).strip(), Attribute(module, name.strip())))
    return found


def _braced(raw: str, start: int) -> tuple[str, int]:
    depth, position = 1, start
    limit = min(len(raw), start + _TYPE_LIMIT)
    while position < limit and depth:
        depth += {"{": 1, "}": -1}.get(raw[position], 0)
        position += 1
    return raw[start : position - 1], position


def _parameter_name(raw: str, start: int) -> str:
    match = re.match(r"\s*\[?\s*([\w$.]+)", raw[start : start + 200])
    return match[1] if match else ""


def parse_type(text: str) -> Expr | None:
    """Return a type as JSDoc writes it; None when it says nothing, or nothing that is understood."""
    tokens = [(match.lastgroup or "", match[match.lastgroup or 0]) for match in _TOKEN.finditer(text[:_TYPE_LIMIT])]
    return _Reader(tokens).union(0)


class _Reader:
    """Recursive descent over the tokens of one type."""

    def __init__(self, tokens: list[tuple[str, str]]) -> None:
        self._tokens = tokens
        self._position = 0

    def _peek(self) -> str:
        return self._tokens[self._position][1] if self._position < len(self._tokens) else ""

    def _accept(self, mark: str) -> bool:
        if self._peek() == mark:
            self._position += 1
            return True
        return False

    def union(self, depth: int) -> Expr | None:
        options: list[Expr] = []
        while True:
            option = self._postfix(depth + 1)
            if option is not None:
                options.append(option)
            if not (self._accept("|") or self._accept("&")):
                break
        if not options:
            return None
        return options[0] if len(options) == 1 else Union(tuple(options))

    def _postfix(self, depth: int) -> Expr | None:
        while self._peek() in {"?", "!", "...", "*", "="}:
            self._position += 1
        expr = self._primary(depth)
        while self._accept("[]"):
            expr = Subscript(Name("Array"), expr) if expr is not None else Name("Array")
        self._accept("=")
        return expr

    def _primary(self, depth: int) -> Expr | None:
        if depth > _DEPTH_LIMIT or self._position >= len(self._tokens):
            return None
        kind, text = self._tokens[self._position]
        self._position += 1
        if kind == "string":
            return Constant("str", text[1:-1])
        if text == "(":
            inner = self.union(depth + 1)
            if self._accept(")") and self._peek() != "=":
                return inner
            self._give_up()
            return None
        if kind != "name" or text == "function":
            self._give_up()
            return None
        return self._applied(self._qualified(text), depth)

    def _qualified(self, text: str) -> Expr | None:
        expr: Expr | None = None if text in _NOTHING else Name(text)
        if text == "import" and self._accept("("):
            specifier = self._peek()[1:-1]
            self._position += 1
            self._accept(")")
            expr = CallExpr(Name("import"), 0, (Constant("str", specifier),))
        elif text == "typeof" and self._position < len(self._tokens):
            self._position += 1
            expr = Subscript(Name("typeof"), Name(self._tokens[self._position - 1][1]))
        while self._peek() == "." and self._following() == "name":
            name = self._tokens[self._position + 1][1]
            self._position += 2
            expr = Attribute(expr, name) if expr is not None else None
        return expr

    def _following(self) -> str:
        return self._tokens[self._position + 1][0] if self._position + 1 < len(self._tokens) else ""

    def _applied(self, base: Expr | None, depth: int) -> Expr | None:
        if (
            self._peek() == "."
            and self._position + 1 < len(self._tokens)
            and self._tokens[self._position + 1][1] == "<"
        ):
            self._position += 1  # `Array.<T>`
        if not self._accept("<"):
            return base
        arguments: list[Expr] = []
        while self._position < len(self._tokens) and not self._accept(">"):
            argument = self.union(depth + 1)
            arguments.append(argument if argument is not None else Constant("none"))
            if not self._accept(",") and self._peek() != ">":
                self._give_up()
                return None
        if base is None or not arguments:
            return base
        return Subscript(base, arguments[0] if len(arguments) == 1 else Collected("tuple", tuple(arguments)))

    def _give_up(self) -> None:
        self._position = len(self._tokens)
