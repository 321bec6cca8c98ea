"""Calls and imports of Rust, from small repositories held in memory; every edge of a case is listed."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from graph.model import EdgeKind
from graph.resolve.crates_rust import read_packages
from tests import memory
from tests.memory import Pairs


def below_src(found: Pairs) -> Pairs:
    return {(src.replace("src/", ""), dst.replace("src/", "")) for src, dst in found}


def pairs(texts: Mapping[str, str], kind: EdgeKind = EdgeKind.CALLS) -> Pairs:
    return below_src(memory.pairs(texts, kind))


CARGO = {"Cargo.toml": '[package]\nname = "my-app"\nversion = "0.1.0"\n'}

CASES: dict[str, tuple[dict[str, str], Pairs]] = {
    "a module in its file, a module in its folder": (
        CARGO
        | {
            "src/main.rs": "mod a;\nmod b;\nfn main() { a::run(); b::run(); b::c::run(); }\n",
            "src/a.rs": "pub fn run() {}\n",
            "src/b/mod.rs": "pub mod c;\npub fn run() {}\n",
            "src/b/c.rs": "pub fn run() { super::run(); crate::a::run(); self::own(); }\nfn own() {}\n",
        },
        {
            ("main.rs#main", "a.rs#run"),
            ("main.rs#main", "b/mod.rs#run"),
            ("main.rs#main", "b/c.rs#run"),
            ("b/c.rs#run", "b/mod.rs#run"),
            ("b/c.rs#run", "a.rs#run"),
            ("b/c.rs#run", "b/c.rs#own"),
        },
    ),
    "a module at a path": (
        CARGO
        | {
            "src/lib.rs": '#[path = "odd/place.rs"]\nmod a;\nfn f() { a::run() }\n',
            "src/odd/place.rs": "pub fn run() { crate::g() }\n",
            "src/a.rs": "pub fn run() {}\n",
        }
        | {"src/lib.rs": '#[path = "odd/place.rs"]\nmod a;\nfn f() { a::run() }\nfn g() {}\n'},
        {("lib.rs#f", "odd/place.rs#run"), ("odd/place.rs#run", "lib.rs#g")},
    ),
    "inline modules see nothing of what is around them": (
        {"src/lib.rs": "fn f() {}\nmod a { pub fn g() { f() } pub fn h() { super::f() } }\nfn i() { a::g() }\n"},
        {("lib.rs#a.h", "lib.rs#f"), ("lib.rs#i", "lib.rs#a.g")},
    ),
    "use trees: groups, self, as, globs": (
        CARGO
        | {
            "src/lib.rs": "mod a;\nmod b;\nuse a::{self, run as go, deep::{stop, *}};\nuse b::*;\n"
            "fn f() { a::run(); go(); stop(); dive(); hidden(); }\n",
            "src/a.rs": "pub fn run() {}\npub mod deep { pub fn stop() {} pub fn dive() {} }\n",
            "src/b.rs": "pub fn hidden() {}\npub fn stop() {}\n",
        },
        {
            ("lib.rs#f", "a.rs#run"),
            ("lib.rs#f", "a.rs#deep.stop"),
            ("lib.rs#f", "a.rs#deep.dive"),
            ("lib.rs#f", "b.rs#hidden"),
        },
    ),
    "re-exports are followed": (
        CARGO
        | {
            "src/lib.rs": "mod a;\nmod api;\nfn f() { api::start(); api::Thing::new(); }\n",
            "src/api.rs": "pub use crate::a::run as start;\npub use super::a::inner::*;\n",
            "src/a.rs": "pub fn run() {}\n"
            "pub mod inner { pub struct Thing; impl Thing { pub fn new() -> Self { Thing } } }\n",
        },
        {("lib.rs#f", "a.rs#run"), ("lib.rs#f", "a.rs#inner.Thing.new")},
    ),
    "a crate of the workspace, under its own and another name": (
        {
            "Cargo.toml": '[workspace]\nmembers = ["core", "app"]\n[workspace.dependencies]\n'
            'my-core = { path = "core" }\n',
            "core/Cargo.toml": '[package]\nname = "my-core"\n',
            "core/src/lib.rs": "pub mod io { pub fn read() {} }\npub fn run() {}\n",
            "app/Cargo.toml": '[package]\nname = "app"\n[dependencies]\nmy-core.workspace = true\n'
            'kernel = { path = "../core", package = "my-core" }\n',
            "app/src/main.rs": "use my_core::io;\nfn main() { io::read(); kernel::run(); app::go(); }\n",
            "app/src/lib.rs": "pub fn go() {}\n",
        },
        {
            ("app/main.rs#main", "core/lib.rs#io.read"),
            ("app/main.rs#main", "core/lib.rs#run"),
            ("app/main.rs#main", "app/lib.rs#go"),
        },
    ),
    "methods and associated functions": (
        {
            "src/lib.rs": "struct A { b: B }\nstruct B;\n"
            "impl A { fn new() -> Self { Self { b: B::new() } } fn run(&self) { self.b.run() } }\n"
            "impl B { fn new() -> B { B } fn run(&self) {} }\nfn f() {\nlet a = A::new();\na.run();\n"
            "(&a).b.run();\n}\n",
        },
        {
            ("lib.rs#A.new", "lib.rs#B.new"),
            ("lib.rs#A.run", "lib.rs#B.run"),
            ("lib.rs#f", "lib.rs#A.new"),
            ("lib.rs#f", "lib.rs#A.run"),
            ("lib.rs#f", "lib.rs#B.run"),
        },
    ),
    "an implementation in another file": (
        CARGO
        | {
            "src/lib.rs": "mod more;\npub struct A;\npub struct B;\nfn f(a: A, b: B) { a.run(); b.run(); a.say(); }\n",
            "src/more.rs": "use crate::A;\nimpl A { pub fn run(&self) { self.own() } fn own(&self) {} }\n"
            "impl super::B { pub fn run(&self) {} }\npub trait Say { fn say(&self) {} }\nimpl Say for A {}\n",
        },
        {
            ("lib.rs#f", "more.rs#A.run"),
            ("lib.rs#f", "more.rs#B.run"),
            ("lib.rs#f", "more.rs#Say.say"),
            ("more.rs#A.run", "more.rs#A.own"),
        },
    ),
    "traits: bounds, impl, dyn, defaults, supertraits": (
        {
            "src/lib.rs": "trait Base { fn id(&self); }\n"
            "trait T: Base { fn a(&self); fn b(&self) { self.a() } }\nstruct S;\n"
            "impl Base for S { fn id(&self) {} }\nimpl T for S { fn a(&self) {} }\n"
            "fn f<X: T>(x: X) { x.a() }\nfn g(x: &dyn T) { x.id() }\nfn h(x: impl T) { x.b() }\n"
            "fn i<X>(x: X) where X: T { x.a() }\nfn j(s: S) { s.a(); s.b(); s.id(); T::a(&s); }\n",
        },
        {
            ("lib.rs#T.b", "lib.rs#T.a"),
            ("lib.rs#f", "lib.rs#T.a"),
            ("lib.rs#g", "lib.rs#Base.id"),
            ("lib.rs#h", "lib.rs#T.b"),
            ("lib.rs#i", "lib.rs#T.a"),
            ("lib.rs#j", "lib.rs#S.a"),
            ("lib.rs#j", "lib.rs#T.b"),
            ("lib.rs#j", "lib.rs#S.id"),
            ("lib.rs#j", "lib.rs#T.a"),
        },
    ),
    "options, results, boxes and collections hold what they hold": (
        {
            "src/lib.rs": "use std::{collections::HashMap, rc::Rc, cell::RefCell};\nstruct A;\n"
            "impl A { fn run(&self) {} }\n"
            "fn make() -> Result<Option<Box<A>>, String> { Ok(None) }\n"
            "fn f(xs: Vec<A>, m: &HashMap<String, A>, r: Rc<RefCell<A>>) -> Result<(), String> {\n"
            "if let Some(a) = make()? { a.run() }\nfor x in &xs { x.run() }\n"
            "for (i, x) in xs.iter().enumerate() { x.run() }\n"
            'm.get("k").unwrap().run();\nr.borrow().run();\nlet (a, b) = (&xs[0], 1);\na.run();\nOk(())\n}\n',
        },
        {("lib.rs#f", "lib.rs#make"), ("lib.rs#f", "lib.rs#A.run")},
    ),
    "enums: variants make values, patterns take them apart": (
        {
            "src/lib.rs": "struct A;\nimpl A { fn run(&self) {} }\nenum E { One(A), Two { a: A }, Three }\n"
            "impl E { fn go(self) { match self { E::One(a) => a.run(), Self::Two { .. } => {} E::Three => {} } } }\n"
            "fn f() { E::One(A).go(); E::Three.go(); }\n",
        },
        {("lib.rs#E.go", "lib.rs#A.run"), ("lib.rs#f", "lib.rs#E.go")},
    ),
    "a field and a method of one name": (
        {
            "src/lib.rs": "struct N;\nstruct A { n: N }\nimpl A { fn n(&self) -> &N { &self.n } }\n"
            "fn f(a: A) { a.n(); a.n; }\n"
        },
        {("lib.rs#f", "lib.rs#A.n~2")},
    ),
    "a local binding counts from its own line on": (
        {
            "src/lib.rs": "fn size() -> u8 { 0 }\nfn f() {\nlet size = size();\nlet g = || 1;\ng();\n}\n"
            "fn h(size: fn()) { size() }\n"
        },
        {("lib.rs#f", "lib.rs#size")},
    ),
    "functions in functions, closures": (
        {"src/lib.rs": "fn g() {}\nfn f() { fn g() {} g(); let h = |x: u8| inner(x); h(1); fn inner(_: u8) {} }\n"},
        {("lib.rs#f", "lib.rs#f.g"), ("lib.rs#f", "lib.rs#f.inner")},
    ),
    "macros: their own, and calls in the arguments of known ones": (
        {
            "src/lib.rs": "macro_rules! twice { ($x:expr) => { $x; $x } }\nfn g() -> u8 { 0 }\nstruct A;\n"
            "impl A { fn n(&self) -> u8 { 0 } }\n"
            'fn f(a: A) { println!("{}", g()); assert_eq!(a.n(), vec![g()][0]); twice!(h()); }\nfn h() {}\n',
        },
        {("lib.rs#f", "lib.rs#g"), ("lib.rs#f", "lib.rs#A.n"), ("lib.rs#f", "lib.rs#twice")},
    ),
    "tests see their module by its glob": (
        {
            "src/lib.rs": "fn run() {}\n#[cfg(test)]\nmod tests {\nuse super::*;\nfn help() {}\n#[test]\n"
            "fn runs() { run(); help(); }\n}\n",
        },
        {("lib.rs#tests.runs", "lib.rs#run"), ("lib.rs#tests.runs", "lib.rs#tests.help")},
    ),
    "tests, examples and programs of a package": (
        CARGO
        | {
            "src/lib.rs": "pub fn run() {}\n",
            "tests/all.rs": "mod common;\nuse my_app::run;\n#[test]\nfn t() { common::setup(); run(); }\n",
            "tests/common/mod.rs": "pub fn setup() { my_app::run() }\n",
            "examples/demo.rs": "fn main() { my_app::run(); local(); }\nfn local() {}\n",
            "src/bin/tool.rs": "fn main() { my_app::run() }\n",
        },
        {
            ("tests/all.rs#t", "tests/common/mod.rs#setup"),
            ("tests/all.rs#t", "lib.rs#run"),
            ("tests/common/mod.rs#setup", "lib.rs#run"),
            ("examples/demo.rs#main", "lib.rs#run"),
            ("examples/demo.rs#main", "examples/demo.rs#local"),
            ("bin/tool.rs#main", "lib.rs#run"),
        },
    ),
    "of two conditional imports both are meant": (
        CARGO
        | {
            "src/lib.rs": "#[cfg(unix)]\nuse unix::open;\n#[cfg(windows)]\nuse windows::open;\nmod unix;\n"
            "mod windows;\nfn f() { open() }\n",
            "src/unix.rs": "pub fn open() {}\n",
            "src/windows.rs": "pub fn open() {}\n",
        },
        {("lib.rs#f", "unix.rs#open"), ("lib.rs#f", "windows.rs#open")},
    ),
    "what comes from outside is nobody's": (
        CARGO
        | {"Cargo.toml": '[package]\nname = "x"\n[dependencies]\nlog = "0.4"\n'}
        | {
            "src/lib.rs": "use serde::de::Error;\nuse std::fs;\nfn read() {}\n"
            "fn f() { fs::read(); log::info(); Error::custom(1).read(); }\n",
        },
        set(),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_calls_lead_where_the_language_says(case: str) -> None:
    """Each case lists every call between its definitions: one more is as wrong as one less."""
    texts, expected = CASES[case]
    assert pairs(texts) == expected


def test_linking_by_name_fails_these_cases() -> None:
    """The mutant that links every call to every definition of its name is caught: the cases prove something."""
    linked = sum(len(below_src(memory.by_name(texts))) for texts, _ in CASES.values())
    right = sum(len(below_src(memory.by_name(texts)) & expected) for texts, expected in CASES.values())
    assert right < 0.9 * linked


# -- modules and crates -----------------------------------------------------------------------------------------------


def imports(texts: Mapping[str, str]) -> Pairs:
    return pairs(texts, EdgeKind.IMPORTS)


def test_imports_lead_to_the_file_of_what_they_name() -> None:
    """A declared module, a function, a module, behind a re-export, all of a module."""
    found = imports(
        CARGO
        | {
            "src/lib.rs": "mod a;\nmod b;\nmod c;\nmod d;\n",
            "src/a.rs": "pub fn f() {}\n",
            "src/b.rs": "pub use crate::a::f;\n",
            "src/c.rs": "use crate::b::f;\nuse super::a;\n",
            "src/d.rs": "use crate::b::*;\nuse std::fmt;\n",
        }
    )
    declared = {("lib.rs", "a.rs"), ("lib.rs", "b.rs"), ("lib.rs", "c.rs"), ("lib.rs", "d.rs")}
    assert found == declared | {("b.rs", "a.rs"), ("c.rs", "a.rs"), ("d.rs", "b.rs")}


def test_a_module_below_a_module_lies_in_the_folder_of_its_name() -> None:
    """`mod inner;` in an inline module, in a file, and in the root are three places."""
    found = imports(
        {
            "src/lib.rs": "mod a;\nmod x { mod inner; }\n",
            "src/a.rs": "mod inner;\n",
            "src/a/inner.rs": "",
            "src/x/inner.rs": "",
            "src/inner.rs": "",
        }
    )
    assert found == {("lib.rs", "a.rs"), ("lib.rs", "x/inner.rs"), ("a.rs", "a/inner.rs")}


def test_traits_are_implemented_also_far_from_their_type() -> None:
    """`impl T for S` beside the type and in another file."""
    files = CARGO | {
        "src/lib.rs": "mod far;\npub trait T { fn m(&self) {} }\npub trait U: T {}\npub struct S;\nimpl T for S {}\n",
        "src/far.rs": "use crate::*;\nimpl U for S {}\n",
    }
    assert pairs(files, EdgeKind.IMPLEMENTS) == {
        ("lib.rs#S", "lib.rs#T"),
        ("lib.rs#S", "lib.rs#U"),
        ("lib.rs#U", "lib.rs#T"),
    }


def test_packages_are_read_from_their_manifests() -> None:
    """Library and program paths, names with dashes, switched-off discovery, linked and outside dependencies."""
    texts = {
        "a/Cargo.toml": '[package]\nname = "a-b"\nautotests = false\n[lib]\npath = "lib/root.rs"\n'
        '[[bin]]\nname = "t"\npath = "tool.rs"\n[dev-dependencies]\nc = { path = "../c" }\nserde = "1"\n',
        "c/Cargo.toml": '[package]\nname = "c"\n',
        "broken/Cargo.toml": "[package\n",
    }
    files = ["a/lib/root.rs", "a/tool.rs", "a/tests/t.rs", "a/benches/x/main.rs", "c/src/lib.rs", "broken/src/lib.rs"]
    found = read_packages(files, texts.get)
    package = found["a"]
    assert (package.name, package.library) == ("a_b", "a/lib/root.rs")
    assert (package.roots, package.found) == (("a/lib/root.rs", "a/tool.rs"), ("a/benches/x/main.rs",))
    assert (package.linked, package.outside) == ((("c", "c"),), {"serde"})
    assert "broken" not in found


@pytest.mark.parametrize(
    "text",
    ["package = 1\n", '[package]\nname = 3\n[lib]\npath = ["x"]\n', "[dependencies]\na = 1\n", "a" * 300_000, "\x00"],
)
def test_broken_manifests_are_no_packages(text: str) -> None:
    """Whatever stands in a manifest, nothing is raised."""
    assert pairs({"Cargo.toml": text, "src/lib.rs": "fn f() { g() }\nfn g() {}\n"}) == {("lib.rs#f", "lib.rs#g")}


def test_a_file_that_nobody_declares_is_a_crate_of_its_own() -> None:
    """Its `crate` is itself, and it depends on nothing that is not there."""
    assert pairs({"loose.rs": "fn f() { crate::g() }\nfn g() {}\n"}) == {("loose.rs#f", "loose.rs#g")}
