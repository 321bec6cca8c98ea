"""What the facts of C#, Ruby, PHP, Kotlin, Swift, Scala, shell and Lua say: a table of the constructs of each.

A row without definitions says that a construct gives none; what is not understood stands in the table of notes.
"""

from __future__ import annotations

import pytest

from graph.extract.facts import Attribute, Constant, Definition, Facts, Name
from graph.extract.outline_comments import DASHES, HASHES, SLASHES, comment_above, file_comment
from graph.extract.outline_names import last_name, named_expr
from graph.extract.registry import extract

Row = tuple[str, str, str, list[str]]


def facts(language: str, text: str) -> Facts:
    return extract(language, (f"<?php\n{text}" if language == "php" else text).encode())


def only(language: str, text: str) -> Definition:
    (found,) = facts(language, text).definitions
    return found


CONSTRUCTS: list[Row] = [
    ("csharp", "namespace", "namespace A.B { class C {} }", ["class C"]),
    ("csharp", "file-scoped namespace", "namespace A;\nclass C {}", ["class C"]),
    ("csharp", "nested types", "class A { struct B { interface I {} } }", ["class A", "struct A.B", "interface A.B.I"]),
    ("csharp", "record", "record A(int X); record struct B(int Y);", ["class A", "struct B"]),
    ("csharp", "primary constructor", "class A(int x) : B(x) { }", ["class A"]),
    ("csharp", "generic type", "class A<T> where T : class {}", ["class A"]),
    ("csharp", "fields", "class A { int x, y = 1; }", ["class A", "variable A.x", "variable A.y"]),
    ("csharp", "property", "class A { int X { get; set; } int Y => 1; }", ["class A", "variable A.X", "variable A.Y"]),
    ("csharp", "indexer", "class A { int this[int i] => i; }", ["class A", "method A.this[]"]),
    (
        "csharp",
        "constructors",
        "class A { A() {} static A() {} ~A() {} }",
        ["class A", "method A.A", "method A.A", "method A.~A"],
    ),
    ("csharp", "operators", "class A { public static A operator -(A a) => a; }", ["class A", "method A.operator-"]),
    (
        "csharp",
        "conversion",
        "class A { public static implicit operator B(A a) => null; }",
        ["class A", "method A.operator(B)"],
    ),
    (
        "csharp",
        "events",
        "class A { event E X; event E Y { add {} remove {} } }",
        ["class A", "variable A.X", "variable A.Y"],
    ),
    ("csharp", "delegate", "delegate int D(int x);", ["type D"]),
    ("csharp", "enum", "enum A { X, Y = 2 }", ["enum A", "variable A.X", "variable A.Y"]),
    ("csharp", "local function", "class A { void M() { int F() => 1; } }", ["class A", "method A.M", "function A.M.F"]),
    ("csharp", "top-level statements", "int F() => 1;\nF();", ["function F"]),
    ("csharp", "local variables, lambdas", "class A { void M() { var x = () => 1; } }", ["class A", "method A.M"]),
    ("csharp", "conditional compilation", "class A {\n#if X\nvoid M() {}\n#endif\n}", ["class A", "method A.M"]),
    ("ruby", "module and class", "module A\n class B; end\nend", ["module A", "class A.B"]),
    ("ruby", "scoped name", "class A::B\n def m; end\nend", ["class A.B", "method A.B.m"]),
    ("ruby", "reopened class", "class A; end\nclass A; end", ["class A", "class A"]),
    (
        "ruby",
        "method names",
        "class A\n def a?; end\n def b=(x); end\n def +(o); end\nend",
        ["class A", "method A.a?", "method A.b=", "method A.+"],
    ),
    (
        "ruby",
        "singleton methods",
        "class A\n def self.m; end\n class << self\n def n; end\n end\nend",
        ["class A", "method A.m", "method A.n"],
    ),
    (
        "ruby",
        "attributes",
        "class A\n attr_accessor :x, 'y'\n attr_writer :z\nend",
        ["class A", "method A.x", "method A.y", "method A.z="],
    ),
    ("ruby", "aliases", "class A\n alias b a\n alias_method :c, :a\nend", ["class A", "method A.b", "method A.c"]),
    ("ruby", "define_method", "class A\n define_method(:x) { 1 }\nend", ["class A", "method A.x"]),
    ("ruby", "define_method of a computed name", "class A\n define_method(n) { 1 }\nend", ["class A"]),
    (
        "ruby",
        "constants",
        "A = 1\nB, C = 1, 2\nclass D\n E = 2\nend",
        ["variable A", "variable B", "variable C", "class D", "variable D.E"],
    ),
    (
        "ruby",
        "Struct.new, Class.new",
        "A = Struct.new(:x) do\n def m; end\nend\nB = Class.new(A)",
        ["class A", "method A.m", "class B"],
    ),
    ("ruby", "local, global and instance variables", "x = 1\n$y = 2\n@z = 3", []),
    ("ruby", "function", "def f(a, *b, c: 1, **d, &e) = a", ["function f"]),
    ("ruby", "heredoc", "x = <<~T\n  def no; end\nT\n", []),
    ("ruby", "blocks", "describe 'x' do\n it('y') { def z; end }\nend", ["function z"]),
    ("php", "namespace", "namespace A\\B; class C {}", ["class C"]),
    (
        "php",
        "class with members",
        "class A { const X = 1, Y = 2; public $a, $b = 1; function m() {} }",
        ["class A", "variable A.X", "variable A.Y", "variable A.a", "variable A.b", "method A.m"],
    ),
    (
        "php",
        "constructor promotion",
        "class A { function __construct(private int $x, int $y) {} }",
        ["class A", "method A.__construct", "variable A.x"],
    ),
    (
        "php",
        "interface, trait, enum",
        "interface I {} trait T {} enum E: int { case A = 1; }",
        ["interface I", "interface T", "enum E", "variable E.A"],
    ),
    ("php", "function", "function f(): int { return 1; }", ["function f"]),
    ("php", "conditional function", "if (1) { function f() {} }", ["function f"]),
    ("php", "constants", "const A = 1; define('B', 2);", ["variable A", "variable B"]),
    ("php", "anonymous class", "$x = new class { function m() {} };", ["method class@2.m"]),
    ("php", "closures, local variables", "$f = function () {}; $g = fn () => 1;", []),
    ("php", "template", "?><p><?php function f() {} ?></p>", ["function f"]),
    (
        "kotlin",
        "class kinds",
        "class A\nenum class B { X }\ninterface C\nannotation class D\nobject E",
        ["class A", "enum B", "variable B.X", "interface C", "class D", "class E"],
    ),
    (
        "kotlin",
        "primary constructor",
        "class A(val x: Int, var y: Int, z: Int)",
        ["class A", "variable A.x", "variable A.y"],
    ),
    ("kotlin", "secondary constructor", "class A { constructor(x: Int) {} }", ["class A", "method A.constructor"]),
    (
        "kotlin",
        "companion",
        "class A {\n  companion object {\n    val X = 1\n  }\n}",
        ["class A", "class A.Companion", "variable A.Companion.X"],
    ),
    ("kotlin", "extension function", "fun String.f() = 1", ["function f"]),
    ("kotlin", "local function", "fun f() { fun g() {} }", ["function f", "function f.g"]),
    (
        "kotlin",
        "properties",
        "val a by lazy { 1 }\nvar b: Int\n  get() = 1\nval (c, d) = p",
        ["variable a", "variable b", "variable c", "variable d"],
    ),
    ("kotlin", "type alias", "typealias A = Map<String, Int>", ["type A"]),
    ("kotlin", "local variables, lambdas", "fun f() { val x = { y: Int -> y } }", ["function f"]),
    ("kotlin", "object expression", "val x = object : I { override fun m() {} }", ["variable x"]),
    ("kotlin", "name in backticks", "fun `a b`() {}", ["function a b"]),
    (
        "swift",
        "type kinds",
        "class A {}\nstruct B {}\nenum C {}\nactor D {}\nprotocol E {}",
        ["class A", "struct B", "enum C", "class D", "interface E"],
    ),
    ("swift", "extension", "struct A {}\nextension A { func m() {} }", ["struct A", "method A.m"]),
    ("swift", "extension of a foreign type", "extension String { var x: Int { 1 } }", ["variable String.x"]),
    (
        "swift",
        "initialisers",
        "class A { init() {}\n init?(x: Int) {}\n deinit {} }",
        ["class A", "method A.init", "method A.init", "method A.deinit"],
    ),
    ("swift", "subscript", "struct A { subscript(i: Int) -> Int { 1 } }", ["struct A", "method A.subscript"]),
    (
        "swift",
        "cases",
        "enum A { case x, y(Int)\n case z }",
        ["enum A", "variable A.x", "variable A.y", "variable A.z"],
    ),
    (
        "swift",
        "properties",
        "struct A { let a = 1, b = 2\n var c: Int { get { 1 } set {} } }",
        ["struct A", "variable A.a", "variable A.b", "variable A.c"],
    ),
    (
        "swift",
        "operator function",
        "struct A { static func == (l: A, r: A) -> Bool { true } }",
        ["struct A", "method A.=="],
    ),
    (
        "swift",
        "type aliases",
        "typealias A = Int\nprotocol P { associatedtype B }",
        ["type A", "interface P", "type P.B"],
    ),
    ("swift", "nested function", "func f() { func g() {}\n let x = 1 }", ["function f", "function f.g"]),
    ("swift", "conditional compilation", "#if os(Linux)\nfunc f() {}\n#endif", ["function f"]),
    (
        "scala",
        "class, trait, object",
        "class A\ntrait B\nobject C\ncase class D(x: Int)",
        ["class A", "interface B", "class C", "class D", "variable D.x"],
    ),
    (
        "scala",
        "class parameters",
        "class A(val x: Int, var y: Int, z: Int)",
        ["class A", "variable A.x", "variable A.y"],
    ),
    (
        "scala",
        "values",
        "object A { val x = 1; var y = 2; lazy val z = 3 }",
        ["class A", "variable A.x", "variable A.y", "variable A.z"],
    ),
    (
        "scala",
        "functions",
        "object A { def f(x: Int) = { def g = 1; g } }",
        ["class A", "method A.f", "function A.f.g"],
    ),
    (
        "scala",
        "symbolic names",
        "trait A { def +(x: A): A; def `type` = 1 }",
        ["interface A", "method A.+", "method A.type"],
    ),
    ("scala", "package object", "package object a { type B = Int }", ["module a", "type a.B"]),
    (
        "scala",
        "enum of Scala 3",
        "enum A:\n  case X, Y\n  case Z(i: Int)\n",
        ["enum A", "variable A.X", "variable A.Y", "variable A.Z"],
    ),
    (
        "scala",
        "givens",
        "given a: Ord[Int] = x\ngiven Show[Int] with\n  def f = 1\n",
        ["variable a", "variable given_Show", "method given_Show.f"],
    ),
    ("scala", "extension methods", "extension (x: Int)\n  def f = 1\n", ["function f"]),
    (
        "scala",
        "anonymous class",
        "object A { def f = new B { def g = 1 } }",
        ["class A", "method A.f", "method A.f.new@1.g"],
    ),
    (
        "bash",
        "functions",
        "f() { :; }\nfunction g { :; }\nfunction h() (:)\n",
        ["function f", "function g", "function h"],
    ),
    ("bash", "nested function", "f() { g() { :; }; }\n", ["function f", "function f.g"]),
    (
        "bash",
        "variables, each once",
        "a=1\na=2\nexport b=3 c=4\nreadonly d=5\n",
        ["variable a", "variable b", "variable c", "variable d"],
    ),
    ("bash", "local variables", "f() { local a=1; b=2; }\n", ["function f"]),
    ("bash", "assignment for one command", "A=1 make all\n", []),
    ("bash", "aliases", "alias ll='ls -l'\n", ["variable ll"]),
    ("bash", "heredoc", "cat <<E\nf() { :; }\nE\n", []),
    (
        "lua",
        "functions",
        "function a() end\nlocal function b() end\nfunction M.c() end\nfunction M:d() end",
        ["function a", "function b", "function M.c", "method M.d"],
    ),
    ("lua", "functions as values", "local a = function() end\nM.b = function() end", ["function a", "function M.b"]),
    (
        "lua",
        "fields of a table",
        "local M = { x = 1, f = function() end, [1] = 2 }",
        ["variable M", "variable M.x", "function M.f"],
    ),
    (
        "lua",
        "top-level variables, each once",
        "local a, b = 1\na = 2\nc = 3",
        ["variable a", "variable b", "variable c"],
    ),
    ("lua", "local variables", "function f() local x = 1 end", ["function f"]),
    ("lua", "nested function", "function f() local function g() end end", ["function f", "function f.g"]),
    ("lua", "anonymous function", "call(function() end)", []),
    ("lua", "computed name", "t[k] = function() end", []),
]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [(row[0], *row[2:]) for row in CONSTRUCTS],
    ids=[f"{a} {b}" for a, b, *_ in CONSTRUCTS],
)
def test_a_construct_defines_what_it_names(language: str, text: str, expected: list[str]) -> None:
    """Kind and name with enclosers, in the order of the source."""
    found = facts(language, text)
    assert [f"{item.kind} {item.qualname}" for item in found.definitions] == expected
    assert found.error_count == 0


NOTES: list[tuple[str, str, str]] = [
    ("ruby", "class A\n include B\nend", "what `include` mixes in is not followed"),
    ("ruby", "class A\n private :x\nend", "what `private` says of methods by their names is not followed"),
    ("ruby", "require x", "a `require` of what is not written out was not followed"),
    ("php", "class A { use T; }", "what traits add to a class is not followed"),
    ("php", "include $x;", "an include of what is not written out was not followed"),
    ("bash", '. "$X/y.sh"\n', "a file that is sourced by a computed path was not followed"),
    ("lua", "require(x)", "a `require` of what is not written out was not followed"),
    ("kotlin", "/*" * 200, "comments that are never closed were read as text"),
    ("swift", "x" * 30_000, "lines longer than 20,000 bytes were not read"),
]


@pytest.mark.parametrize(("language", "text", "note"), NOTES)
def test_what_is_not_understood_is_noted(language: str, text: str, note: str) -> None:
    """It is never guessed."""
    assert facts(language, text).notes == (note,)


IMPORTS: list[tuple[str, str, list[str]]] = [
    ("csharp", "using A.B; using static A.C; using D = A.E; global using F;", ["A.B", "A.C", "A.E", "F"]),
    ("ruby", "require 'a'\nrequire_relative 'b'\nload 'c.rb'\nautoload :D, 'd'", ["a", "b", "c.rb", "d"]),
    ("php", "use A\\B; use A\\{C, D as E}; use function A\\f; require 'g.php';", ["A.B", "A.C", "A.D", "A.f", "g.php"]),
    ("kotlin", "import a.b.C\nimport a.b.*\nimport a.b.D as E\n", ["a.b.C", "a.b", "a.b.D"]),
    ("swift", "import A\n@testable import B\nimport struct C.D\n", ["A", "B", "C"]),
    ("scala", "import a.B\nimport a.{C, D => E, _}\nimport a.F._\n", ["a.B", "a.C", "a.D", "a", "a.F"]),
    ("bash", ". a.sh\nsource ./b.sh\n", ["a.sh", "./b.sh"]),
    ("lua", "local a = require 'a.b'\nrequire(\"c\")\npcall(require, 'd')", ["a.b", "c", "d"]),
]


@pytest.mark.parametrize(("language", "text", "expected"), IMPORTS)
def test_imports_are_recorded_in_every_form(language: str, text: str, expected: list[str]) -> None:
    """Namespaces are written with dots, whatever the language writes."""
    assert [item.specifier for item in facts(language, text).imports] == expected


@pytest.mark.parametrize(
    ("language", "text", "modifiers", "exported"),
    [
        ("csharp", "public static class A {}", ("public", "static"), True),
        ("php", "abstract class A {}", ("abstract",), True),
        ("kotlin", "private suspend fun f() {}", ("private", "suspend"), False),
        ("swift", "public final class A {}", ("final", "public"), True),
        ("swift", "fileprivate func f() {}", ("fileprivate",), False),
        ("scala", "private sealed trait A", ("private", "sealed"), False),
        ("lua", "local function f() end", ("local",), False),
    ],
)
def test_modifiers_are_kept(language: str, text: str, modifiers: tuple[str, ...], exported: bool) -> None:
    """What hides a definition from other files also says so."""
    found = only(language, text)
    assert (found.modifiers, found.exported) == (modifiers, exported)


def test_ruby_visibility_holds_for_what_follows() -> None:
    """Until the next word; singleton methods are not touched by it."""
    text = "class A\n def a; end\n private\n def b; end\n def self.c; end\n public\n def d; end\nend"
    assert [item.name for item in facts("ruby", text).definitions if not item.exported] == ["b"]


@pytest.mark.parametrize(
    ("language", "text", "bases"),
    [
        ("csharp", "class A : N.B<int>, IC {}", ["B", "IC"]),
        ("ruby", "class A < N::B; end", ["B"]),
        ("php", "class A extends N\\B implements C, \\D {}", ["B", "C", "D"]),
        ("kotlin", "class A : B<Int>(1), C by d", ["B", "C"]),
        ("swift", "class A: B<Int>, C {}", ["B", "C"]),
        ("scala", "class A extends B[Int](1) with C", ["B", "C"]),
    ],
)
def test_bases_are_kept_by_name(language: str, text: str, bases: list[str]) -> None:
    """Without type arguments and what is handed to their constructors."""
    found = only(language, text).bases
    assert [base.name if isinstance(base, Attribute) else getattr(base, "id", "") for base in found] == bases


@pytest.mark.parametrize(
    ("language", "text", "doc"),
    [
        ("csharp", "/// <summary>What\n/// it is.</summary>\n[X]\nclass A {}", "What\nit is."),
        ("ruby", "x = 1\n# What\n# it is.\nclass A; end", "What\nit is."),
        ("php", "/**\n * What\n * it is.\n */\nfunction f() {}", "What\nit is."),
        ("kotlin", "/** What it is. */\n@X\nfun f() {}", "What it is."),
        ("swift", "/// What\n/// it is.\nfunc f() {}", "What\nit is."),
        ("scala", "/** What it is. */\nobject A", "What it is."),
        ("bash", "x\n\n# What it is.\nf() { :; }", "What it is."),
        ("lua", "x()\n--- What\n-- it is.\nfunction f() end", "What\nit is."),
        ("lua", "x()\n--[[ What\n  it is. ]]\nfunction f() end", "What\nit is."),
    ],
)
def test_comments_above_a_definition_describe_it(language: str, text: str, doc: str) -> None:
    """Without their marks."""
    assert only(language, text).doc == doc


@pytest.mark.parametrize(
    ("language", "text", "signature"),
    [
        (
            "csharp",
            "[X]\npublic static int F(\n  int x, // why\n  int y)\n{ return 1; }",
            "public static int F(int x, int y)",
        ),
        ("ruby", "def f(a,\n  b: 1)\n  a\nend", "def f(a, b: 1)"),
        ("php", "function f(int $x): ?string {}", "function f(int $x): ?string"),
        ("kotlin", "@X fun <T> f(x: T): T = x", "fun <T> f(x: T): T"),
        (
            "swift",
            "@X public func f(_ x: Int) async throws -> Int { 1 }",
            "public func f(_ x: Int) async throws -> Int",
        ),
        ("scala", "def f[T](x: T)(implicit y: Int): T = x", "def f[T](x: T)(implicit y: Int): T"),
        ("bash", "function f() { :; }", "function f()"),
        ("lua", "function f(a, ...) return a end", "function f(a, ...)"),
    ],
)
def test_a_signature_is_the_head_on_one_line(language: str, text: str, signature: str) -> None:
    """Without annotations, comments and the body."""
    assert facts(language, text).definitions[0].signature == signature


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("csharp", "class A { [Fact] void M() {} }"),
        ("ruby", "class A\n def test_x; end\nend"),
        ("php", "class A { function testX() {} }"),
        ("kotlin", "class A { @Test fun m() {} }"),
        ("swift", "class A { func testX() {} }"),
    ],
)
def test_tests_are_known_by_their_conventions(language: str, text: str) -> None:
    """By an annotation or by the name."""
    assert [item.is_test for item in facts(language, text).definitions] == [False, True]


def test_calls_keep_a_receiver_only_where_the_language_lets_it_be_known() -> None:
    """Elsewhere they are names."""
    calls = [
        call.function
        for scope in facts("php", "f(); $x->g(); class A { function m() { $this->h(); } }").scopes
        for call in scope.calls
    ]
    assert calls[0] == Name("f")
    assert isinstance(calls[1], Attribute)
    assert calls[2] == Attribute(Name("this"), "h")


@pytest.mark.parametrize("language", ["csharp", "kotlin", "php", "scala"])
def test_the_package_is_kept_beside_the_names(language: str) -> None:
    """As an export that no program could name so."""
    text = {"csharp": "namespace A.B;", "php": "namespace A\\B;"}.get(language, "package A.B\nclass C")
    assert ("package", Constant("str", "A.B")) in facts(language, text).exports


@pytest.mark.parametrize(
    ("text", "style", "doc"),
    [
        (b"#!/bin/sh\n# What it is.\n\nx\n", HASHES, "What it is."),
        (b"# frozen_string_literal: true\n\n# What it is.\n\nx\n", HASHES, "What it is."),
        (b"// Of the class.\nclass A {}\n", SLASHES, ""),
        (b"--- What it is.\n-- More.\n\nlocal x\n", DASHES, "What it is.\nMore."),
        (b"<?php\n/* What it is. */\n\nnamespace A;\n", SLASHES, "What it is."),
        (b"", SLASHES, ""),
    ],
)
def test_the_first_comment_describes_a_file(text: bytes, style: object, doc: str) -> None:
    """Unless it belongs to what stands right below it."""
    assert file_comment(text, style) == doc  # type: ignore[arg-type]


def test_a_comment_behind_something_else_is_no_description() -> None:
    """It belongs to what it stands behind."""
    data = b"x # no\n# yes\ny"
    assert comment_above(data, data.rindex(b"y"), HASHES) == "yes"


def test_names_are_read_from_expressions() -> None:
    """Without type arguments; the last part of a callee is what is called."""
    assert named_expr("A.B<C>.D") == Attribute(Name("A"), "B")
    assert named_expr("(x)") is None
    assert last_name("a.b().c") == "c"
    assert last_name("a[0]") == ""


def test_methods_of_named_objects_of_ruby_belong_to_these() -> None:
    """`def Q.m` is a method of `Q` wherever it stands; of an expression nobody can say whose it is."""
    found = extract("ruby", b"module A\n class Q; end\n def Q.sing; end\n def (x.y).odd; end\nend\ndef A.top; end\n")
    assert [(one.name, one.qualname) for one in found.definitions[2:]] == [("sing", "A.Q.sing"), ("top", "A.top")]
    assert "a method of one object, which is an expression, was left out" in found.notes
