"""What the facts of a Rust file say: a table of the language's constructs, and what is understood of each."""

from __future__ import annotations

import pytest

from graph.extract.facts import Attribute, CallExpr, Collection, Constant, Expr, Facts, FunctionRef, Name, Subscript
from graph.extract.rust import extract_rust


def facts(text: str) -> Facts:
    return extract_rust(text.encode())


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
        case Constant(type="variant" | "int", value=value):
            return value
        case FunctionRef():
            return "closure"
        case _:
            return "?"


CONSTRUCTS: tuple[tuple[str, str, list[str]], ...] = (
    ("function", 'pub const unsafe extern "C" fn f() {}', ["function f"]),
    ("nested function", "fn f() { fn g() {} }", ["function f", "function f.g"]),
    ("struct with fields", "struct S { a: u8, pub b: u8 }", ["struct S", "variable S.a", "variable S.b"]),
    ("tuple struct", "struct S(u8, pub u8);", ["struct S"]),
    ("unit struct", "struct S;", ["struct S"]),
    ("union", "union U { a: u8 }", ["struct U", "variable U.a"]),
    ("enum", "enum E { A, B(u8), C { x: u8 }, D = 2 }",
     ["enum E", "variable E.A", "variable E.B", "variable E.C", "variable E.D"]),
    ("impl", "struct S; impl S { fn m(&self) {} const C: u8 = 1; }", ["struct S", "method S.m", "variable S.C"]),
    ("impl above its type", "impl S { fn m() {} } struct S;", ["struct S", "method S.m"]),
    ("impl of a trait", "struct S; impl fmt::Display for S { type T = u8; fn fmt(&self) {} }",
     ["struct S", "type S.T", "method S.fmt"]),
    ("impl of a type of another file", "impl<T> a::S<T> { fn m() {} }", ["method S.m"]),
    ("impl of a type without a name", "impl T for [u8] { fn m() {} }", ["method [u8].m"]),
    ("trait", "trait T: U { type O; const C: u8; fn a(); fn b() {} }",
     ["interface T", "type T.O", "variable T.C", "method T.a", "method T.b"]),
    ("inline module", "mod a { pub mod b { fn f() {} } }", ["module a", "module a.b", "function a.b.f"]),
    ("module of another file", "mod a;", []),
    ("constants and statics", "const A: u8 = 1; static mut B: u8 = 2; const _: () = ();", ["variable A", "variable B"]),
    ("alias", "type A<T> = Vec<T>;", ["type A"]),
    ("foreign functions", 'extern "C" { fn f(); static X: u8; }', ["function f", "variable X"]),
    ("macro", "macro_rules! m { () => {} }", ["macro m"]),
    ("items in a function", "fn f() { struct S; impl S { fn m(&self) {} } }",
     ["function f", "struct f.S", "method f.S.m"]),
    ("local bindings", "fn f() { let a = 1; const B: u8 = 2; }", ["function f"]),
)  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), [row[1:] for row in CONSTRUCTS], ids=[row[0] for row in CONSTRUCTS])
def test_definitions_of_each_construct(text: str, expected: list[str]) -> None:
    """Kinds and names with their enclosers."""
    assert defined(text) == expected


CALLS: tuple[tuple[str, str, list[str]], ...] = (
    ("nested", "fn f() { a(b(c())) }", ["a", "b", "c"]),
    ("paths", "fn f() { a::b::c(); crate::d(); self::e(); super::g(); Self::h(); ::i::j() }",
     ["Self.h", "a.b.c", "crate.d", "i.j", "self::.e", "super.g"]),
    ("methods and chains", "fn f() { self.a().b()?.c().await }", ["self.a", "self.a().b", "self.a().b().c"]),
    ("type arguments are taken off", "fn f() { a::<u8>(); S::<u8>::b(); c.d::<u8>(); <S as T>::e() }",
     ["S.b", "S.e", "a", "c.d"]),
    ("closures", "fn f() { x(|y| a(y)); let g = move || b(); }", ["a", "b", "x"]),
    ("branches", "fn f() { if a() {} else if let Some(x) = b() { c(x) } else { d() } }", ["a", "b", "c", "d"]),
    ("matches", "fn f() { match a() { X(n) if b(n) => c(n), _ => d() } }", ["a", "b", "c", "d"]),
    ("loops", "fn f() { for x in a() { b() } while c() { d() } loop { e() } }", ["a", "b", "c", "d", "e"]),
    ("literals", "fn f() { [a(), b()]; (c(), d()); S { x: e(), ..g() }; &h()[i()] }",
     ["a", "b", "c", "d", "e", "g", "h", "i"]),
    ("let else", "fn f() { let Some(x) = a() else { return b() }; }", ["a", "b"]),
    ("constants", "const A: u8 = a(); static B: [u8; b()] = [c(); 2];", ["a", "b", "c"]),
    ("blocks", "fn f() { unsafe { a() } async { b() }; const { c() } }", ["a", "b", "c"]),
    ("arguments of known macros", 'fn f() { println!("{}", a(b.c())); assert!(d::e(x)); vec![g(1); 2]; }',
     ["a", "assert!", "b.c", "d.e", "g", "println!", "vec!"]),
    ("macros in macros", 'fn f() { panic!("{}", format!("{}", a())) }', ["a", "format!", "panic!"]),
    ("arguments of other macros", "fn f() { html!(a()); x::y!{ b() } }", ["html!", "x.y!"]),
)  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), [row[1:] for row in CALLS], ids=[row[0] for row in CALLS])
def test_every_call_is_recorded_once(text: str, expected: list[str]) -> None:
    """Wherever a call stands it is in exactly one scope."""
    assert called(text) == expected


NOTES: tuple[tuple[str, str, str], ...] = (
    ("macros of others", "fn f() { html!(a()) }", "`html!`"),
    ("macros that make items", "bitflags! { struct A: u8 {} }", "`bitflags!`"),
    ("deep nesting", f"fn f() {{ {'a(' * 200}{')' * 200} }}", "nested deeper"),
)


@pytest.mark.parametrize(("text", "words"), [row[1:] for row in NOTES], ids=[row[0] for row in NOTES])
def test_what_is_not_understood_is_noted(text: str, words: str) -> None:
    """A construct is understood or named, never guessed."""
    assert any(words in note for note in facts(text).notes)


def test_macros_that_hold_no_code_are_not_noted() -> None:
    """`cfg!` and `include_str!` make nothing that a reader of calls would miss."""
    assert facts('fn f() { cfg!(unix); include_str!("x"); env!("A") }').notes == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("use a;", ["a module =a"]),
        ("use a::b;", ["a names b=b"]),
        ("use a::b as c;", ["a names b=c"]),
        ("use a::b as _;", ["a names b="]),
        ("use a::*;", ["a names *=*"]),
        ("use a::{b, c as d};", ["a names b=b c=d"]),
        ("use a::{self, b::{c, d::*}};", ["a module =a", "a::b names c=c", "a::b::d names *=*"]),
        ("use crate::a::{self as b};", ["crate::a module =b"]),
        ("use self::a::b; use super::super::c;", ["self::a names b=b", "super::super names c=c"]),
        ("use ::a::b;", ["a names b=b"]),
        ("use {a::b, c};", ["a names b=b", "c module =c"]),
        ("pub use a::b as c;", ["a reexport b=c"]),
        ("pub(crate) use a::*;", ["a reexport *=*"]),
        ("extern crate a as b;", ["a module =b"]),
        ("mod a;", ["a declare =a"]),
        ('#[path = "x/y.rs"] mod a;', ["x/y.rs declare =a"]),
    ],
)
def test_imports_as_written(text: str, expected: list[str]) -> None:
    """Path, form, and each name with what it is bound to."""
    found = []
    for item in facts(text).imports:
        names = " ".join(f"{name.name}={name.alias}" for name in item.names)
        found.append(f"{item.specifier} {item.kind} {names}")
    assert sorted(found) == sorted(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("let x = a;", ["x value a"]),
        ("let mut x: T = a;", ["x annotation T", "x value a"]),
        ("let (x, y) = a;", ["x unpack:0 a", "y unpack:1 a"]),
        ("let (x, (y, _)) = a;", ["x unpack:0 a", "y unpack:0 a[1]"]),
        ("let Some(x) = a else { return };", ["x value a"]),
        ("let S { x, y: z, .. } = a;", ["x field:x a", "z field:y a"]),
        ("if let E::B(x, Ok(y)) = a {}", ["x value a[E.B:0]", "y value a[E.B:1]"]),
        ("if let Err(e) = a {}", ["e value ?"]),
        ("match a { n @ 1..=2 => {} ref m => {} CONST => {} }", ["n value a", "m value a"]),
        ("for x in a {}", ["x iterate a"]),
        ("for (i, &x) in a {}", ["i iterate:0 a", "x value ?"]),
        ("x.y = a;", ["x.y value a"]),
        ("x[0] = a?;", ["x[0] value a"]),
        ("x += a;", []),
        ("let x = S { a: 1 };", ["x value S()"]),
        ("let x = &mut *a;", ["x value a"]),
    ],
)
def test_assignments(text: str, expected: list[str]) -> None:
    """Targets, how, and what the value is as far as it is followed."""
    scope = facts(f"fn f() {{ {text} }}").scopes[1]
    assert [f"{spelled(item.target)} {item.how} {spelled(item.value)}" for item in scope.assigns] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("fn f() { a }", ["a"]),
        ("fn f() { a; }", []),
        ("fn f() { return a; }", ["a"]),
        ("fn f() { { b(); a } }", ["a"]),
        ("fn f() { unsafe { a } }", ["a"]),
    ],
)
def test_what_a_function_gives(text: str, expected: list[str]) -> None:
    """The last expression without a semicolon, and what is returned."""
    assert [spelled(item) for item in facts(text).scopes[1].returns] == expected


def test_a_definition_has_its_documentation_its_attributes_and_its_lines() -> None:
    """The first attribute is the first line; `//!` is the module's."""
    text = (
        "//! The module.\n\n/// Does it.\n///\n/// Twice.\n#[inline]\n#[cfg(unix)]\n"
        "pub(crate) fn f(\n    a: u8, // first\n) -> u8\nwhere\n    u8: Copy,\n{\n    1\n}\n"
    )
    found = facts(text)
    (item,) = found.definitions
    assert (item.start_line, item.name_line, item.end_line) == (6, 8, 15)
    assert item.signature == "pub(crate) fn f(a: u8) -> u8 where u8: Copy"
    assert (item.doc, found.doc) == ("Does it.\n\nTwice.", "The module.")
    assert (item.modifiers, item.exported) == (("conditional",), True)


def test_modifiers_of_methods() -> None:
    """Without a receiver static, without a body abstract, in a trait as public as it."""
    text = (
        "trait T { fn a(&self); fn b() {} }\nstruct S;\nimpl S { pub async fn c(self: Box<Self>) {} fn d(x: u8) {} }\n"
    )
    found = {item.name: (item.modifiers, item.exported) for item in facts(text).definitions if item.kind == "method"}
    assert found == {
        "a": (("abstract",), True),
        "b": (("static",), True),
        "c": (("async",), True),
        "d": (("static",), False),
    }


def test_tests_are_known_by_their_attributes() -> None:
    """`#[test]`, `#[tokio::test]`, and everything in a module that is compiled for tests only."""
    text = (
        "#[test] fn a() {}\n#[tokio::test] async fn b() {}\nfn c() {}\n"
        "#[cfg(test)] mod tests { fn d() {} }\n#[cfg(not(test))] mod other { fn e() {} }\n"
    )
    found = {item.name: item.is_test for item in facts(text).definitions}
    assert found == {"a": True, "b": True, "c": False, "tests": True, "d": True, "other": False, "e": False}


def test_traits_and_derives_of_a_type() -> None:
    """Implemented traits beside it, derived ones as decorators."""
    text = "impl a::T for S {}\n#[derive(Debug, serde::Serialize)] struct S;\nimpl U<u8> for S {}\n"
    item, *_ = facts(text).definitions
    assert [spelled(trait) for trait in item.implements] == ["a.T", "U[u8]"]
    assert [spelled(name) for name in item.decorators] == ["Debug", "serde.Serialize"]


def test_an_implementation_elsewhere_names_its_type_and_trait() -> None:
    """`Self` and `impl` are assigned in the scope of the block."""
    found = facts("impl<X> T for a::S<X> { fn m(&self) {} }\n")
    scope = next(item for item in found.scopes if item.kind == "extension")
    shown = {spelled(item.target): spelled(item.value) for item in scope.assigns}
    assert shown == {"Self": "a.S[X]", "X": "?", "impl": "T"}


def test_debt_markers_stand_in_comments_only() -> None:
    """Doc comments are comments too."""
    found = facts('const X: &str = "TODO no";\n/// FIXME: yes\nfn f() { /* HACK x */ }\n').markers
    assert [(item.category, item.text, item.line) for item in found] == [("FIXME", "yes", 2), ("HACK", "x", 3)]
