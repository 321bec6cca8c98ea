"""Imports, and the few calls that are resolved, of languages of which outlines are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from graph.extract.facts import Facts
from graph.extract.registry import extract
from graph.languages import language_of
from graph.model import EdgeKind
from graph.resolve.resolver import Resolved, Resolver


class MemorySource:
    """Files in memory, of any language."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self.files = files

    def paths(self) -> Sequence[str]:
        return sorted(path for path in self.files if language_of(path) and not path.endswith(".json"))

    def language(self, path: str) -> str:
        return language_of(path) or ""

    def facts(self, path: str) -> Facts:
        return extract(self.language(path), self.files[path].encode())

    def config_text(self, path: str) -> str | None:
        return self.files.get(path)


def resolved(files: Mapping[str, str], path: str) -> Resolved:
    return Resolver(MemorySource(files)).resolve(path)


def imports(files: Mapping[str, str], path: str) -> set[str]:
    edges = resolved(files, path).edges
    return {edge.dst.removeprefix("file:") for edge in edges if edge.kind is EdgeKind.IMPORTS}


def calls(files: Mapping[str, str], path: str) -> set[tuple[str, str]]:
    edges = resolved(files, path).edges
    return {(e.src.rsplit("#")[-1], e.dst.split(":", 2)[-1]) for e in edges if e.kind is EdgeKind.CALLS}


IMPORTS: list[tuple[str, dict[str, str], str, set[str]]] = [
    ("ruby relative", {"lib/a.rb": "require_relative 'b/c'\n", "lib/b/c.rb": ""}, "lib/a.rb", {"lib/b/c.rb"}),
    ("ruby load path", {"lib/x/a.rb": "require 'x/b'\n", "lib/x/b.rb": ""}, "lib/x/a.rb", {"lib/x/b.rb"}),
    ("ruby test", {"test/t/a.rb": "require 'help'\n", "test/help.rb": ""}, "test/t/a.rb", {"test/help.rb"}),
    ("ruby other gem", {"a/lib/a.rb": "require 'b/x'", "b/lib/b/x.rb": ""}, "a/lib/a.rb", {"b/lib/b/x.rb"}),
    (
        "ruby in two gems is in none",
        {"a/lib/a.rb": "require 'x'", "b/lib/x.rb": "", "c/lib/x.rb": ""},
        "a/lib/a.rb",
        set(),
    ),
    ("ruby autoload", {"lib/a.rb": "autoload :B, 'a/b'\n", "lib/a/b.rb": ""}, "lib/a.rb", {"lib/a/b.rb"}),
    (
        "php composer",
        {
            "composer.json": '{"autoload": {"psr-4": {"App\\\\": "src/"}}}',
            "src/A.php": "<?php\nnamespace App;\nuse App\\Sub\\B;\n",
            "src/Sub/B.php": "<?php\nnamespace App\\Sub;\nclass B {}\n",
        },
        "src/A.php",
        {"src/Sub/B.php"},
    ),
    (
        "php without composer, told apart by the namespace",
        {
            "a.php": "<?php\nuse X\\{B, C as D};\n",
            "one/B.php": "<?php\nnamespace X;\nclass B {}\n",
            "two/B.php": "<?php\nnamespace Y;\nclass B {}\n",
            "C.php": "<?php\nnamespace X;\nclass C {}\n",
        },
        "a.php",
        {"one/B.php", "C.php"},
    ),
    (
        "php include",
        {"w/a.php": "<?php require_once __DIR__ . '/b.php'; include 'c.php';", "w/b.php": "", "w/c.php": ""},
        "w/a.php",
        {"w/b.php", "w/c.php"},
    ),
    (
        "php include that may be either",
        {"w/a.php": "<?php include 'c.php';", "c.php": "", "w/c.php": ""},
        "w/a.php",
        set(),
    ),
    (
        "kotlin class and function",
        {
            "src/x/A.kt": "package x\nimport y.B\nimport y.help\nimport y.B.Inner\nimport java.io.File\n",
            "src/y/B.kt": "package y\nclass B { class Inner }\n",
            "src/y/Tools.kt": "package y\nfun help() = 1\n",
        },
        "src/x/A.kt",
        {"src/y/B.kt", "src/y/Tools.kt"},
    ),
    (
        "kotlin star takes what is named",
        {
            "A.kt": "package x\nimport y.*\nfun f() = B()\n",
            "B.kt": "package y\nclass B\n",
            "C.kt": "package y\nclass C\n",
        },
        "A.kt",
        {"B.kt"},
    ),
    (
        "kotlin of java",
        {"k/A.kt": "import p.q.J\n", "j/p/q/J.java": "package p.q; class J {}"},
        "k/A.kt",
        {"j/p/q/J.java"},
    ),
    (
        "scala selectors",
        {
            "A.scala": "package x\nimport y.{B, C => D}\n",
            "B.scala": "package y\nclass B\n",
            "C.scala": "package y\nobject C\n",
        },
        "A.scala",
        {"B.scala", "C.scala"},
    ),
    (
        "csharp namespace",
        {
            "A.cs": "using N.Sub; class A { B b; }",
            "B.cs": "namespace N.Sub; public partial class B {}",
            "B.Extra.cs": "namespace N.Sub { partial class B {} }",
            "C.cs": "namespace N.Sub; class C {}",
        },
        "A.cs",
        {"B.cs", "B.Extra.cs"},
    ),
    (
        "csharp own namespace first",
        {
            "A.cs": "using N; namespace M; class A { B b; }",
            "x/B.cs": "namespace N; class B {}",
            "y/B.cs": "namespace M; class B {}",
        },
        "A.cs",
        set(),
    ),
    (
        "csharp alias",
        {"A.cs": "using T = N.B; class A {}", "B.cs": "namespace N; class B {}"},
        "A.cs",
        {"B.cs"},
    ),
    (
        "swift module of the package",
        {
            "Sources/App/a.swift": "import Core\nlet x = Thing()\n",
            "Sources/Core/Thing.swift": "public struct Thing {}\n",
            "Sources/Other/Thing.swift": "struct Thing {}\n",
        },
        "Sources/App/a.swift",
        {"Sources/Core/Thing.swift"},
    ),
    (
        "bash beside the script",
        {"bin/a.sh": 'source "$(dirname "$0")/../lib/b.sh"\n. ./c.sh\n. "$X/d.sh"\n', "lib/b.sh": "", "c.sh": ""},
        "bin/a.sh",
        {"lib/b.sh", "c.sh"},
    ),
    (
        "lua modules",
        {"src/a.lua": 'local b = require("b.c")\nrequire "d"\n', "src/b/c.lua": "", "src/d/init.lua": ""},
        "src/a.lua",
        {"src/b/c.lua", "src/d/init.lua"},
    ),
]


@pytest.mark.parametrize(
    ("files", "path", "expected"), [case[1:] for case in IMPORTS], ids=[case[0] for case in IMPORTS]
)
def test_an_import_leads_to_its_file(files: dict[str, str], path: str, expected: set[str]) -> None:
    """Where one convention of the language says so, and nowhere else."""
    assert imports(files, path) == expected


CALLS: list[tuple[str, dict[str, str], str, set[tuple[str, str]]]] = [
    (
        "bash functions, also of a sourced file",
        {"a.sh": ". ./b.sh\nf() { g; h; }\nh() { ls; }\n", "b.sh": "g() { :; }\n"},
        "a.sh",
        {("f", "b.sh#g"), ("f", "a.sh#h")},
    ),
    (
        "php by the receiver, the class and the name",
        {
            "a.php": "<?php use N\\B; class A { function f() { $this->g(); B::make(); $x->g(); h(); }\n"
            "function g() {} }\nfunction h() {}",
            "B.php": "<?php namespace N; class B { static function make() {} }",
        },
        "a.php",
        {("A.f", "a.php#A.g"), ("A.f", "B.php#B.make"), ("A.f", "a.php#h")},
    ),
    (
        "ruby by the receiver",
        {"a.rb": "class A\n  def f\n    g(1)\n    o.g\n  end\n  def g(x)\n  end\n  def self.s\n    g(2)\n  end\nend\n"},
        "a.rb",
        {("A.f", "a.rb#A.g")},
    ),
    ("lua by the name", {"a.lua": "local function g() end\nfunction f() g() x.g() end\n"}, "a.lua", {("f", "a.lua#g")}),
    ("kotlin not at all", {"a.kt": "fun g() {}\nfun f() { g(); x.g() }\n"}, "a.kt", set()),
]


@pytest.mark.parametrize(("files", "path", "expected"), [case[1:] for case in CALLS], ids=[case[0] for case in CALLS])
def test_calls_that_no_type_decides_are_resolved(
    files: dict[str, str], path: str, expected: set[tuple[str, str]]
) -> None:
    """All others stay unresolved."""
    assert calls(files, path) == expected


BASES: list[tuple[str, dict[str, str], str, set[tuple[str, str]]]] = [
    (
        "scala class before its companion",
        {"a.scala": "trait A\nobject A { case class B() extends A }\n"},
        "a.scala",
        {("A.B", "a.scala#A")},
    ),
    (
        "ruby inside the module first",
        {"a.rb": "class Base; end\nmodule M\n  class Base; end\n  class C < Base; end\nend\n"},
        "a.rb",
        {("M.C", "a.rb#M.Base")},
    ),
    (
        "kotlin by an import",
        {"A.kt": "import y.B as C\nclass A : C()\n", "B.kt": "package y\nopen class B\n"},
        "A.kt",
        {("A", "B.kt#B")},
    ),
    (
        "php interface of another file",
        {"a.php": "<?php use N\\I; class A implements I {}", "I.php": "<?php namespace N; interface I {}"},
        "a.php",
        {("A", "I.php#I")},
    ),
]


@pytest.mark.parametrize(("files", "path", "expected"), [case[1:] for case in BASES], ids=[case[0] for case in BASES])
def test_a_base_is_the_type_that_the_language_means(
    files: dict[str, str], path: str, expected: set[tuple[str, str]]
) -> None:
    """Nested types come before outer ones, imported names before none."""
    edges = [e for e in resolved(files, path).edges if e.kind in (EdgeKind.INHERITS, EdgeKind.IMPLEMENTS)]
    assert {(e.src.rsplit("#")[-1], e.dst.split(":", 2)[-1]) for e in edges} == expected


def test_a_call_that_types_decide_stays_unresolved() -> None:
    """It is a candidate by its name, no edge."""
    found = resolved({"a.kt": "fun g() {}\nfun f() { g() }\n"}, "a.kt")
    assert [call.name for call in found.unresolved] == ["g"]


@pytest.mark.parametrize(
    ("files", "path", "appearing"),
    [
        ({"src/x/A.kt": "package x\nimport y.B\n"}, "src/x/A.kt", "?B"),
        ({"A.cs": "using N; class A { B b; }"}, "A.cs", "?B"),
        ({"lib/a.rb": "require 'x/y'\n"}, "lib/a.rb", "?x.y"),
        ({"a.lua": "require 'b.c'\n"}, "a.lua", "b/c.lua"),
        ({"a.sh": ". ./b.sh\n"}, "a.sh", "b.sh"),
    ],
    ids=["kotlin", "csharp", "ruby", "lua", "bash"],
)
def test_an_import_waits_for_the_file_it_did_not_find(files: dict[str, str], path: str, appearing: str) -> None:
    """A file that appears later is noticed."""
    assert appearing in resolved(files, path).depends_on
