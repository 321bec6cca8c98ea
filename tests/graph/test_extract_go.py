"""What the facts of a Go file say: a table of the language's constructs, and what is understood of each."""

from __future__ import annotations

import pytest

from graph.extract.facts import Assign, Attribute, CallExpr, Collection, Expr, Facts, FunctionRef, Name, Subscript
from graph.extract.go import extract_go
from graph.model import NodeKind


def facts(text: str) -> Facts:
    return extract_go(f"package p\n{text}".encode())


def defined(text: str) -> list[str]:
    return [f"{item.kind} {item.qualname}" for item in facts(text).definitions]


def called(text: str) -> list[str]:
    found = [call.function for scope in facts(text).scopes for call in scope.calls]
    return sorted(spelled(item) for item in found)


def spelled(expr: Expr) -> str:
    match expr:
        case Name(id=name):
            return name
        case Attribute(base=base, name=name):
            return f"{spelled(base)}.{name}"
        case Subscript(base=base, index=index):
            return f"{spelled(base)}[{spelled(index)}]"
        case CallExpr(function=function):
            return f"{spelled(function)}()"
        case Collection(values=values):
            return ",".join(spelled(value) for value in values)
        case FunctionRef():
            return "func"
        case _:
            return "?"


CONSTRUCTS: tuple[tuple[str, str, list[str]], ...] = (
    ("function", "func f() {}", ["function f"]),
    ("function without a body", "func f(x int) int", ["function f"]),
    ("several functions named init", "func init() {}\nfunc init() {}", ["function init", "function init"]),
    ("method, receiver by value", "type T int\nfunc (t T) m() {}", ["type T", "method T.m"]),
    ("method, receiver by pointer", "type T int\nfunc (t *T) m() {}", ["type T", "method T.m"]),
    ("method of a generic type", "type T[A any] struct{}\nfunc (T[A]) m() {}", ["struct T", "method T.m"]),
    ("method above its type", "func (t T) m() {}\ntype T int", ["type T", "method T.m"]),
    ("method of a type of another file", "func (t T) m() {}", ["method T.m"]),
    ("struct with fields", "type T struct { a, B int }", ["struct T", "variable T.a", "variable T.B"]),
    ("embedded struct", "type T struct { *a.B; C[int] }", ["struct T", "variable T.B", "variable T.C"]),
    ("blank field", "type T struct { _ int }", ["struct T"]),
    ("interface", "type T interface { M(); error }", ["interface T", "method T.M"]),
    ("type set", "type T interface { ~int | string }", ["interface T"]),
    ("named type", "type T func() error", ["type T"]),
    ("alias", "type T = map[string]int", ["type T"]),
    ("group of types", "type ( A int; B struct{} )", ["type A", "struct B"]),
    ("type in a function", "func f() { type T struct { a int } }", ["function f", "struct f.T", "variable f.T.a"]),
    ("constants with iota", "const ( A = iota; B; _; C )", ["variable A", "variable B", "variable C"]),
    ("several names in one spec", "var a, b = 1, 2", ["variable a", "variable b"]),
    ("group of variables", "var ( a int; b = f() )", ["variable a", "variable b"]),
    ("blank variable", "var _ I = T{}", []),
    ("local variables", "func f() { var a int; const b = 1; c := 2 }", ["function f"]),
    ("label, goto, fallthrough", "func f() { a: for { goto a } }", ["function f"]),
)


@pytest.mark.parametrize(("text", "expected"), [row[1:] for row in CONSTRUCTS], ids=[row[0] for row in CONSTRUCTS])
def test_definitions_of_each_construct(text: str, expected: list[str]) -> None:
    """Kinds and names with their enclosers."""
    assert defined(text) == expected


CALLS: tuple[tuple[str, str, list[str]], ...] = (
    ("nested", "func f() { a(b(c())) }", ["a", "b", "c"]),
    ("chained", "func f() { a.b().c() }", ["a.b", "a.b().c"]),
    ("deferred and started", "func f() { defer a(); go b() }", ["a", "b"]),
    ("of a literal", "func f() { func() { a() }() }", ["a", "func"]),
    ("with type arguments", "func f() { a[int](1); b[int, string](); c[T]() }", ["a[int]", "b[int,string]", "c[T]"]),
    ("of an element", "func f() { a[0](); b.c[i]() }", ["a[?]", "b.c[i]"]),
    ("in conditions", "func f() { if x := a(); b(x) {} else if c() {} else { d() } }", ["a", "b", "c", "d"]),
    ("in loops", "func f() { for i := a(); b(i); c() { d() }; for range e() {} }", ["a", "b", "c", "d", "e"]),
    ("in switches", "func f() { switch a() { case b(): c(); default: d() } }", ["a", "b", "c", "d"]),
    ("in type switches", "func f() { switch x := a().(type) { case T: b(x) } }", ["a", "b"]),
    ("in select", "func f() { select { case x := <-a(): b(x); case c <- d(): } }", ["a", "b", "d"]),
    ("in literals", "func f() { _ = T{a: b(), c: []int{d()}, e(): 1} }", ["b", "d", "e"]),
    ("in indices and slices", "func f() { x[a()][b():c()] = d() }", ["a", "b", "c", "d"]),
    ("in returns and sends", "func f() int { ch <- a(); return b() + c() }", ["a", "b", "c"]),
    ("in variables of the package", "var a, b = c(), d()", ["c", "d"]),
    ("conversions are none", "func f() { _ = []byte(a()); _ = T{}; _ = x.(T) }", ["a"]),
    ("spread arguments", "func f() { a(b()...) }", ["a", "b"]),
)


@pytest.mark.parametrize(("text", "expected"), [row[1:] for row in CALLS], ids=[row[0] for row in CALLS])
def test_every_call_is_recorded_once(text: str, expected: list[str]) -> None:
    """Wherever a call stands it is in exactly one scope."""
    assert called(text) == expected


NOTES: tuple[tuple[str, str, str], ...] = (
    ("cgo", 'import "C"', "cgo"),
    ("type sets", "type T interface { ~int | string }", "type set"),
    ("methods of an interface without a name", "var x interface { M() }", "interface without a name"),
    ("deep nesting", f"func f() {{ {'a(' * 200}{')' * 200} }}", "nested deeper"),
)


@pytest.mark.parametrize(("text", "words"), [row[1:] for row in NOTES], ids=[row[0] for row in NOTES])
def test_what_is_not_understood_is_noted(text: str, words: str) -> None:
    """A construct is understood or named, never guessed."""
    assert any(words in note for note in facts(text).notes)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('import "a/b"', ("a/b", "module", ["=b"])),
        ('import c "a/b"', ("a/b", "module", ["=c"])),
        ('import . "a/b"', ("a/b", "names", ["*=*"])),
        ('import _ "a/b"', ("a/b", "effect", [])),
        ('import "a.com/b/v2"', ("a.com/b/v2", "module", ["=b"])),
        ('import "gopkg.in/yaml.v3"', ("gopkg.in/yaml.v3", "module", ["=yaml"])),
        ('import "a.com/go-kit"', ("a.com/go-kit", "module", ["=kit"])),
        ("import `a/b`", ("a/b", "module", ["=b"])),
        ('import ( "a/b"; )', ("a/b", "module", ["=b"])),
    ],
)
def test_imports_as_written(text: str, expected: tuple[str, str, list[str]]) -> None:
    """Path, form and the name that it binds."""
    (item,) = facts(text).imports
    assert (item.specifier, item.kind, [f"{name.name}={name.alias}" for name in item.names]) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x := a", ["x value a"]),
        ("x, y := a, b", ["x value a", "y value b"]),
        ("x, y := f()", ["x unpack:0 f()", "y unpack:1 f()"]),
        ("x, ok := m[k]", ["x value m[k]", "ok value ?"]),
        ("x, ok := v.(T)", ["x value T()", "ok value ?"]),
        ("x, ok := <-c", ["x value c[?]", "ok value ?"]),
        ("x.y.z = a", ["x.y.z value a"]),
        ("m[k] = a", ["m[k] value a"]),
        ("x += a", []),
        ("_ = a", []),
        ("for k, v := range xs {}", ["k iterate:0 xs", "v iterate:1 xs"]),
        ("for _, v := range xs {}", ["v iterate:1 xs"]),
        ("var x, y T", ["x annotation T", "y annotation T"]),
        ("var x T = a", ["x annotation T", "x value a"]),
        ("p := &T{}", ["p value T()"]),
        ("p := *q", ["p value q"]),
        ("s := []T{a}", ["s value a"]),
    ],
)
def test_assignments(text: str, expected: list[str]) -> None:
    """Targets, how, and what the value is as far as it is followed."""
    scope = facts(f"func f() {{ {text} }}").scopes[1]
    assert [_shown(item) for item in scope.assigns] == expected


def _shown(item: Assign) -> str:
    return f"{spelled(item.target)} {item.how} {spelled(item.value)}"


def test_a_definition_has_its_comment_its_signature_and_its_lines() -> None:
    """Directives are no documentation; bodies and comments are no part of a signature."""
    text = (
        "\n// Run does it.\n//\n// Twice.\n//go:noinline\n"
        "func (t *T) Run(\n\ta int, // first\n\tb ...string,\n) (err error) {\n}\n"
    )
    (item,) = facts(text).definitions
    assert (item.start_line, item.name_line, item.end_line) == (7, 7, 11)
    assert item.signature == "func (t *T) Run(a int, b ...string) (err error)"
    assert item.doc == "Run does it.\n\nTwice."
    assert (item.kind, item.exported) == (NodeKind.METHOD, True)


def test_a_group_documents_each_of_its_members() -> None:
    """The comment above a group is not that of its first member."""
    first, second = facts("// Both.\nvar (\n\t// A is one.\n\tA = 1\n\tb = 2\n)\n").definitions
    assert (first.doc, first.exported, second.doc, second.exported) == ("A is one.", True, "", False)
    (alone,) = facts("// C is alone.\nconst C = 1\n").definitions
    assert (alone.doc, alone.modifiers) == ("C is alone.", ("constant",))


def test_tests_are_known_by_their_names() -> None:
    """`TestX`, `BenchmarkX`, `FuzzX`, `ExampleX`, and not `Testify`."""
    found = facts(
        "func TestA() {}\nfunc Test() {}\nfunc Testify() {}\nfunc BenchmarkB() {}\nfunc test() {}\n"
    ).definitions
    assert [item.is_test for item in found] == [True, True, False, True, False]


def test_the_package_and_its_build_constraint_are_kept() -> None:
    """Which files are a package is decided by both."""
    found = extract_go(b"//go:build linux && !cgo\n\n// Package p is one.\npackage p\n")
    assert [name for name, _ in found.exports] == ["//go:build", "package"]
    assert found.doc == "Package p is one."


def test_debt_markers_stand_in_comments_only() -> None:
    """A string that says TODO is no debt."""
    found = facts('var x = "TODO no" // TODO(me): yes\n/* FIXME later */\n').markers
    assert [(item.category, item.text, item.line) for item in found] == [("TODO", "yes", 2), ("FIXME", "later", 3)]


def test_embedded_types_are_bases() -> None:
    """Of structs and of interfaces."""
    struct, *_ = facts("type T struct { *A; b.C; D[int]; e int }\n").definitions
    assert [spelled(base) for base in struct.bases] == ["A", "b.C", "D[int]"]
    interface, *_ = facts("type I interface { J; io.Reader; M() }\n").definitions
    assert [spelled(base) for base in interface.bases] == ["J", "io.Reader"]
