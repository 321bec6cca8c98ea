"""What is read from Java: one test a construct, and what stays a note."""

from __future__ import annotations

import pytest

from graph.extract.facts import Attribute, CallExpr, Constant, Definition, Facts, FunctionRef, Import, Name, Subscript
from graph.extract.java import extract_java

CONSTRUCTS: dict[str, tuple[str, str]] = {
    "package": ("package a.b;", "export `package`"),
    "imports, single, static, of all": ("import static a.B.*;", "import"),
    "classes, nested, local, without a name": ("class A { class B {} void f() { new Runnable() { }; } }", "definition"),
    "records with components and compact constructors": ("record R(int x) { R { } }", "definition"),
    "enums whose constants have bodies": ("enum E { A { void f() {} } }", "definition"),
    "interfaces with default methods": ("interface I { default void f() {} }", "definition"),
    "annotation types, and their use": ("@interface A { int x() default 1; }", "definition"),
    "initializers, static and of instances": ("class A { static { f(); } { g(); } }", "scope"),
    "lambdas and method references": ("class A { F f = x -> x.g(), h = A::g; }", "reference"),
    "patterns in instanceof and switch": (
        "class A { int f(Object o) { return o instanceof B b ? b.g() : 0; } }",
        "assign",
    ),
    "modules": ("module m { requires a.b; }", "definition"),
    "what is nested too deeply": ("class A { int x = " + "(" * 400 + "1" + ")" * 400 + "; }", "note"),
}
"""Construct -> (an example, what is kept of it); the table of what is understood."""


def facts(text: str) -> Facts:
    return extract_java(text.encode())


def named(found: Facts, qualname: str, ordinal: int = 1) -> Definition:
    return next(item for item in found.definitions if (item.qualname, item.ordinal) == (qualname, ordinal))


@pytest.mark.parametrize("construct", CONSTRUCTS)
def test_every_construct_of_the_table_is_kept(construct: str) -> None:
    """Each example leaves what the table says it leaves."""
    text, kept = CONSTRUCTS[construct]
    found = facts(text)
    what: dict[str, object] = {
        "export `package`": found.exports,
        "import": found.imports,
        "definition": found.definitions,
        "scope": [scope for scope in found.scopes if scope.kind in ("static", "initializer") and scope.calls],
        "reference": [value for scope in found.scopes for value in scope.references],
        "assign": [assign for scope in found.scopes for assign in scope.assigns],
        "note": found.notes,
    }
    assert what[kept]
    assert found.error_count == 0


def test_imports_say_what_they_bind() -> None:
    """The specifier is the whole name; a static import is marked, an import of all binds a star."""
    found = facts("import a.B;\nimport static a.B.f;\nimport a.*;\nimport static a.B.*;\n")
    assert [(item.specifier, item.kind, item.names[0].alias, item.line) for item in found.imports] == [
        ("a.B", "names", "B", 1),
        ("a.B.f", "static", "f", 2),
        ("a", "names", "*", 3),
        ("a.B", "static", "*", 4),
    ]


def test_a_method_has_its_head() -> None:
    """Signature without annotations and body, modifiers, documentation, parameters, result."""
    head = "public static int add(final int a, String... more)"
    found = facts(f"class A {{\n  /** Adds. */\n  @Deprecated\n  {head} {{ return a; }}\n}}")
    method = named(found, "A.add")
    scope = found.scopes[method.scope]
    assert method.signature == head
    assert method.doc == "Adds."
    assert (method.start_line, method.name_line) == (3, 4)
    assert method.modifiers == ("public", "static")
    assert method.decorators == (Name("Deprecated"),)
    assert [(item.name, item.annotation, item.kind) for item in scope.parameters] == [
        ("a", Name("int"), "positional"),
        ("more", Name("String"), "rest"),
    ]
    assert scope.return_annotation == Name("int")


def test_what_other_packages_see_is_exported() -> None:
    """Public and protected members, and those of interfaces."""
    found = facts("class A { private int a; int b; public int c; protected int d; } interface I { int f(); }")
    assert [item.name for item in found.definitions if item.exported] == ["c", "d", "f"]


def test_overloads_and_constructors_are_numbered() -> None:
    """Equal qualified names are told apart by their order."""
    found = facts("class A { A() {} A(int x) {} void f() {} void f(int x) {} }")
    assert [(item.qualname, item.ordinal) for item in found.definitions] == [
        ("A", 1), ("A.A", 1), ("A.A", 2), ("A.f", 1), ("A.f", 2),
    ]  # fmt: skip


def test_types_know_what_they_extend_and_implement() -> None:
    """Generic bases are applications."""
    item = named(facts("class A<T> extends B<T> implements I, x.J {}"), "A")
    assert item.bases == (Subscript(Name("B"), Name("T")),)
    assert item.implements == (Name("I"), Attribute(Name("x"), "J", 1))


def test_an_assignment_without_a_declaration_writes_a_field() -> None:
    """A local hides the field of its name."""
    found = facts("class A { int x; void f() { int y; x = 1; y = 2; } }")
    targets = [item.target for item in found.scopes[named(found, "A.f").scope].assigns if item.how == "value"]
    assert targets == [Attribute(Name("this"), "x", 1), Name("y")]


def test_tests_are_known_by_their_annotation() -> None:
    """JUnit's annotations, whatever package they are written with."""
    found = facts("class A { @org.junit.Test void f() {} @ParameterizedTest void g() {} void h() {} }")
    assert [item.name for item in found.definitions if item.is_test] == ["f", "g"]


def test_calls_construct_chain_and_call_super() -> None:
    """Each call is recorded once, in the body it stands in."""
    found = facts("class A extends B { A() { super(1); a.b().c(new D<>() { int x = e(); }); } }")
    calls = found.scopes[named(found, "A.A").scope].calls
    assert [(call.function, call.constructs) for call in calls] == [
        (Name("super"), True),
        (Attribute(Name("a"), "b", 1), False),
        (Name("D"), True),
        (Attribute(CallExpr(Attribute(Name("a"), "b", 1), 1), "c", 1), False),
    ]
    inner = [call.function for scope in found.scopes if scope.kind == "initializer" for call in scope.calls]
    assert inner == [Name("e")]


def test_a_lambda_has_a_scope_and_returns_its_expression() -> None:
    """`x -> x.f()` is a function of one parameter."""
    found = facts("class A { void g() { each(x -> x.f()); } }")
    call = found.scopes[named(found, "A.g").scope].calls[0]
    assert isinstance(call.arguments[0], FunctionRef)
    scope = found.scopes[call.arguments[0].scope]
    assert (scope.kind, scope.parameters[0].name) == ("lambda", "x")
    assert scope.returns == scope.calls


def test_broken_syntax_keeps_what_stands_around_it() -> None:
    """A half-written method does not hide its neighbours."""
    found = facts("class A {\n  void f() { int = ; }\n  void g() {}\n")
    assert {"A", "A.f", "A.g"} <= {item.qualname for item in found.definitions}
    assert found.error_count > 0


def test_modules_and_packages_are_kept() -> None:
    """A module is a definition, what it requires an import; the package is an export."""
    found = facts("/** Words. */\npackage a.b;\n")
    assert found.exports == (("package", Constant("str", "a.b")),)
    assert found.doc == "Words."
    assert facts("module m.n { requires transitive a.b; }").imports == (Import("a.b", "requires", 1, end_line=1),)


def test_markers_stand_in_comments_only() -> None:
    """A string that says TODO is no debt."""
    found = facts('class A { // TODO: first\n String s = "TODO: none"; /* FIXME(bob) second */ }')
    assert [(item.category, item.text, item.line) for item in found.markers] == [
        ("TODO", "first", 1),
        ("FIXME", "second", 2),
    ]
