"""Calls of TypeScript that only types decide, from small repositories held in memory."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from graph.extract.facts import Facts
from graph.extract.registry import extract
from graph.languages import language_of
from graph.model import EdgeKind
from graph.resolve.resolver import Resolver


class Files:
    """A repository in memory."""

    def __init__(self, texts: dict[str, str]) -> None:
        self._texts = texts

    def paths(self) -> Sequence[str]:
        return sorted(path for path in self._texts if language_of(path) is not None)

    def language(self, path: str) -> str:
        return language_of(path) or ""

    def facts(self, path: str) -> Facts:
        return extract(self.language(path), self._texts[path].encode())

    def config_text(self, path: str) -> str | None:
        return self._texts.get(path)


def linked(texts: dict[str, str] | str, kind: EdgeKind = EdgeKind.CALLS) -> set[tuple[str, str]]:
    files = {"a.ts": texts} if isinstance(texts, str) else texts
    source = Files(files)
    resolver = Resolver(source)
    edges = [edge for path in source.paths() for edge in resolver.resolve(path).edges if edge.kind is kind]
    return {(edge.src.split("#")[-1], edge.dst.split("#")[-1]) for edge in edges}


HERITAGE = [
    ("interface A { m(): void } interface B extends A {} function f(b: B) { b.m() }", "A.m"),
    ("interface A { m(): void } interface P {} interface B extends P, A {} function f(b: B) { b.m() }", "A.m"),
    ("interface A<T> { m(): void } interface B extends A<string> {} function f(b: B) { b.m() }", "A.m"),
    ("interface A { m(): this; n(): void } interface B extends A { o(): void } function f(b: B) { b.m().o() }", "B.o"),
    (
        "interface A { m(): void } abstract class B implements A { abstract m(): void } function f(b: A) { b.m() }",
        "A.m",
    ),
    ("interface A { m(): void } abstract class B implements A {} function f(b: B) { b.m() }", "A.m"),
    ("class A { n() {} } interface A { m(): void } function f(a: A) { a.m() }", "A.m"),
    ("interface A { n(): void } interface A { m(): void } function f(a: A) { a.m() }", "A.m"),
    ("type O = { m(): void }; interface A extends O {} function f(a: A) { a.m() }", "O.m"),
    ("interface A extends Array<B> {} class B { m() {} } function f(a: A) { for (const b of a) b.m() }", "B.m"),
]


@pytest.mark.parametrize(("source", "expected"), HERITAGE)
def test_a_member_is_found_where_a_type_inherits_it(source: str, expected: str) -> None:
    """Interfaces extend types, classes implement them, and declarations of one name are one type."""
    assert ("f", expected) in linked(source)


def test_an_interface_may_take_over_what_modules_export() -> None:
    """`typeof` a namespace import gives every exported function as a method."""
    files = {
        "a.ts": "import * as parts from './b'\ntype All = typeof parts\nexport class C {}\n"
        "export interface C extends All {}\nfunction f(c: C) { c.m() }",
        "b.ts": "import type { C } from './a'\nexport function m(this: C) { this.n() }\nexport function n() {}",
    }
    assert {("f", "m"), ("m", "n")} <= linked(files)


def test_super_runs_no_interface() -> None:
    """Only a base class has a constructor to run."""
    source = "interface I {} class A {} class B extends A implements I { constructor() { super() } }"
    assert linked(source) == {("B.constructor", "A")}


def test_a_class_is_linked_to_what_it_implements() -> None:
    """`implements` names a type of another file."""
    files = {
        "a.ts": "import { I } from './b'\nclass A implements I { m() {} }",
        "b.ts": "export interface I { m(): void }",
    }
    assert linked(files, EdgeKind.IMPLEMENTS) == {("A", "I")}
    assert linked(files, EdgeKind.OVERRIDES) == {("A.m", "I.m")}
