"""Calls and imports of Go, from small repositories held in memory; every edge of a case is listed."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from graph.model import EdgeKind
from tests.memory import Pairs, by_name, pairs, resolved

MOD = {"go.mod": "module example.com/app\n\ngo 1.22\n"}

CASES: dict[str, tuple[dict[str, str], Pairs]] = {
    "a function of another file of the package": (
        {"a.go": "package p\nfunc f() { g() }\n", "b.go": "package p\nfunc g() {}\n"},
        {("a.go#f", "b.go#g")},
    ),
    "a function of the same name in another package is not meant": (
        {"a/a.go": "package a\nfunc f() { g() }\nfunc g() {}\n", "b/b.go": "package b\nfunc g() {}\n"},
        {("a/a.go#f", "a/a.go#g")},
    ),
    "an imported package, also under another name": (
        MOD
        | {
            "main.go": 'package main\nimport (\n"example.com/app/store"\nu "example.com/app/util"\n)\n'
            "func main() { store.Open(); u.Open() }\n",
            "store/s.go": "package store\nfunc Open() {}\n",
            "util/u.go": "package util\nfunc Open() {}\n",
        },
        {("main.go#main", "store/s.go#Open"), ("main.go#main", "util/u.go#Open")},
    ),
    "a package whose name is not the last part of its path": (
        MOD
        | {
            "main.go": 'package main\nimport "example.com/app/lib-v2/go-kit"\nfunc main() { toolkit.Run() }\n',
            "lib-v2/go-kit/k.go": "package toolkit\nfunc Run() {}\n",
        },
        {("main.go#main", "lib-v2/go-kit/k.go#Run")},
    ),
    "a local variable hides a package": (
        MOD
        | {
            "main.go": 'package main\nimport "example.com/app/store"\ntype T struct{}\nfunc (T) Open() {}\n'
            "func main() { store := T{}; store.Open() }\nvar _ = store.Open\n",
            "store/s.go": "package store\nfunc Open() {}\n",
        },
        {("main.go#main", "main.go#T.Open")},
    ),
    "a dot import": (
        MOD
        | {
            "main.go": 'package main\nimport . "example.com/app/dsl"\nfunc main() { Describe() }\n',
            "dsl/d.go": "package dsl\nfunc Describe() {}\nfunc describe() {}\n",
        },
        {("main.go#main", "dsl/d.go#Describe")},
    ),
    "methods by the type of the receiver, not by name": (
        {
            "a.go": "package p\ntype A struct{}\ntype B struct{}\nfunc (A) Run() {}\nfunc (*B) Run() {}\n"
            "func f(a A, b *B) { a.Run(); b.Run() }\nfunc g(x any) { _ = x }\n",
        },
        {("a.go#f", "a.go#A.Run"), ("a.go#f", "a.go#B.Run")},
    ),
    "methods in another file than their type": (
        {
            "a.go": "package p\ntype A struct{ b *B }\nfunc (a *A) Run() { a.b.Stop() }\n",
            "b.go": "package p\ntype B struct{}\n",
            "c.go": "package p\nfunc (b *B) Stop() { (&A{}).Run() }\nfunc Stop() {}\n",
        },
        {("a.go#A.Run", "c.go#B.Stop"), ("c.go#B.Stop", "a.go#A.Run")},
    ),
    "embedded structs and what hides their methods": (
        {
            "a.go": "package p\ntype Base struct{}\nfunc (Base) Run() {}\nfunc (Base) Name() {}\n"
            "type A struct{ *Base }\nfunc (A) Name() {}\nfunc f(a A) { a.Run(); a.Name(); a.Base.Name() }\n",
        },
        {("a.go#f", "a.go#Base.Run"), ("a.go#f", "a.go#A.Name"), ("a.go#f", "a.go#Base.Name")},
    ),
    "a call through an interface leads to its method": (
        {
            "a.go": "package p\ntype Reader interface { Read() }\ntype File interface { Reader; Close() }\n"
            "type disk struct{}\nfunc (disk) Read() {}\nfunc f(x File) { x.Read(); x.Close() }\n",
        },
        {("a.go#f", "a.go#Reader.Read"), ("a.go#f", "a.go#File.Close")},
    ),
    "results of calls, chained and by place": (
        {
            "a.go": "package p\ntype A struct{}\nfunc New() (*A, error) { return &A{}, nil }\n"
            "func (a *A) With(n int) *A { return a }\nfunc (a *A) Run() {}\n"
            "func f() { a, err := New(); _ = err; a.With(1).With(2).Run() }\n",
        },
        {("a.go#f", "a.go#New"), ("a.go#f", "a.go#A.With"), ("a.go#f", "a.go#A.Run")},
    ),
    "elements of slices, maps and channels": (
        {
            "a.go": "package p\ntype A struct{}\nfunc (A) Run() {}\ntype List []A\n"
            "func f(xs []A, m map[string]*A, c chan A, l List) {\n"
            'for _, x := range xs { x.Run() }\nm["k"].Run()\n(<-c).Run()\nfor _, y := range l { y.Run() }\n'
            "for k := range m { k.Run() }\nxs[1:][0].Run()\n}\n",
        },
        {("a.go#f", "a.go#A.Run")},
    ),
    "type switches and assertions": (
        {
            "a.go": "package p\ntype A struct{}\nfunc (A) Run() {}\ntype B struct{}\nfunc (B) Run() {}\n"
            "func f(x any) { switch v := x.(type) { case A: v.Run() } }\n"
            "func g(x any) { if b, ok := x.(B); ok { b.Run() } }\n",
        },
        {("a.go#f", "a.go#A.Run"), ("a.go#g", "a.go#B.Run")},
    ),
    "functions handed over and returned": (
        {
            "a.go": "package p\nfunc apply(f func()) { f() }\nfunc one() {}\nfunc two() func() { return one }\n"
            "func run() { apply(one); two()() }\n",
        },
        {("a.go#run", "a.go#apply"), ("a.go#run", "a.go#two"), ("a.go#run", "a.go#one"), ("a.go#apply", "a.go#one")},
    ),
    "functions in literals and closures belong to what is around them": (
        {"a.go": "package p\nfunc g() {}\nfunc f() { go func() { defer g() }() }\nvar h = func() { g() }\n"},
        {("a.go#f", "a.go#g"), ("a.go", "a.go#g")},
    ),
    "generic functions and types": (
        {
            "a.go": "package p\ntype Box[T any] struct{ v T }\nfunc (b *Box[T]) Get() T { return b.v }\n"
            "func Map[T, U any](x T, f func(T) U) U { return f(x) }\n"
            "func f(b *Box[int]) { b.Get(); Map[int, int](1, nil); Map(2, g); _ = Box[int]{} }\n"
            "func g(int) int { return 0 }\n",
        },
        {("a.go#f", "a.go#Box.Get"), ("a.go#f", "a.go#Map"), ("a.go#Map", "a.go#g")},
    ),
    "conversions and literals call nothing": (
        {
            "a.go": "package p\ntype F func()\nfunc (F) Run() {}\ntype S struct{}\n"
            "func f() { F(g).Run(); _ = S{}; _ = F(nil) }\n"
            "func g() {}\n"
        },
        {("a.go#f", "a.go#F.Run")},
    ),
    "table tests over a struct without a name": (
        {
            "a.go": "package p\ntype A struct{}\nfunc (A) Run() {}\n"
            'func f() { for _, c := range []struct{ name string; a *A }{{"x", &A{}}} { c.a.Run() } }\n',
        },
        {("a.go#f", "a.go#A.Run")},
    ),
    "tests see their package, and from outside only what it exports": (
        MOD
        | {
            "p/a.go": "package p\nfunc f() {}\nfunc G() {}\n",
            "p/a_test.go": "package p\nfunc TestF() { f(); help() }\nfunc help() {}\n",
            "p/b_test.go": 'package p_test\nimport "example.com/app/p"\nfunc TestG() { p.G(); help() }\n'
            "func help() {}\n",
        },
        {
            ("p/a_test.go#TestF", "p/a.go#f"),
            ("p/a_test.go#TestF", "p/a_test.go#help"),
            ("p/b_test.go#TestG", "p/a.go#G"),
            ("p/b_test.go#TestG", "p/b_test.go#help"),
        },
    ),
    "one function for each system": (
        {
            "a.go": "package p\nfunc f() { open() }\n",
            "a_linux.go": "package p\nfunc open() {}\n",
            "a_other.go": "//go:build !linux\n\npackage p\nfunc open() {}\n",
        },
        {("a.go#f", "a_linux.go#open"), ("a.go#f", "a_other.go#open")},
    ),
    "the nearest declaration wins": (
        {
            "a.go": "package p\nfunc g() {}\nfunc f(g func()) { g() }\nfunc h() { len := func() {}; len() }\n"
            "func len() {}\n"
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
    linked = sum(len(by_name(texts)) for texts, _ in CASES.values())
    right = sum(len(by_name(texts) & expected) for texts, expected in CASES.values())
    assert right < 0.9 * linked


# -- modules ----------------------------------------------------------------------------------------------------------


def imports(texts: Mapping[str, str]) -> Pairs:
    return pairs(texts, EdgeKind.IMPORTS)


def test_an_import_leads_to_the_files_that_define_what_is_used() -> None:
    """A package of many files is not imported whole where only one of them is meant."""
    found = imports(
        MOD
        | {
            "main.go": 'package main\nimport "example.com/app/p"\nfunc main() { p.F() }\n',
            "p/a.go": "package p\nfunc F() {}\n",
            "p/b.go": "package p\nfunc G() {}\n",
            "p/a_test.go": "package p\nfunc F2() {}\n",
        }
    )
    assert found == {("main.go", "p/a.go")}


def test_an_import_for_its_effects_leads_to_all_files() -> None:
    """Nothing is used by name, so all of the package is."""
    found = imports(
        MOD
        | {
            "main.go": 'package main\nimport _ "example.com/app/p"\n',
            "p/a.go": "package p\nfunc init() {}\n",
            "p/b.go": "package p\n",
            "p/a_test.go": "package p\n",
        }
    )
    assert found == {("main.go", "p/a.go"), ("main.go", "p/b.go")}


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        pytest.param(
            {
                "go.mod": "module a.com/x\n",
                "sub/go.mod": "module a.com/x/sub\n",
                "sub/p/p.go": "package p\nfunc F() {}\n",
            },
            {("main.go", "sub/p/p.go")},
            id="a nested module",
        ),
        pytest.param(
            {
                "go.mod": "module a.com/main\nrequire a.com/x v1.0.0\n"
                "replace (\n\ta.com/x v1.0.0 => ./fork // ours\n)\n",
                "fork/go.mod": "module a.com/original\n",
                "fork/sub/p/p.go": "package p\nfunc F() {}\n",
                "sub/p/p.go": "package p\nfunc F() {}\n",
            },
            {("main.go", "fork/sub/p/p.go")},
            id="a replaced module",
        ),
        pytest.param(
            {"go.mod": "module a.com/main\n", "vendor/a.com/x/sub/p/p.go": "package p\nfunc F() {}\n"},
            {("main.go", "vendor/a.com/x/sub/p/p.go")},
            id="vendored",
        ),
        pytest.param(
            {"src/a.com/x/sub/p/p.go": "package p\nfunc F() {}\n"},
            {("main.go", "src/a.com/x/sub/p/p.go")},
            id="the layout before modules",
        ),
        pytest.param(
            {"go.mod": "module a.com/other\n", "sub/p/p.go": "package p\nfunc F() {}\n"},
            set(),
            id="another module with the same folders",
        ),
        pytest.param(
            {"go.mod": "module a.com/x\n", "sub/p/doc.txt": "no Go here\n"},
            set(),
            id="a folder without files",
        ),
    ],
)
def test_import_paths_lead_to_folders(files: dict[str, str], expected: Pairs) -> None:
    """Modules, `replace`, `vendor`."""
    main = 'package main\nimport "a.com/x/sub/p"\nfunc main() { p.F() }\n'
    assert imports({"main.go": main} | files) == expected


def test_internal_packages_are_seen_from_their_parent_only() -> None:
    """The compiler refuses the others, so they lead nowhere."""
    files = MOD | {
        "a/internal/p/p.go": "package p\nfunc F() {}\n",
        "a/main.go": 'package main\nimport "example.com/app/a/internal/p"\nfunc main() { p.F() }\n',
        "b/main.go": 'package main\nimport "example.com/app/a/internal/p"\nfunc main() { p.F() }\n',
    }
    assert imports(files) == {("a/main.go", "a/internal/p/p.go")}


def test_embedding_is_inheritance() -> None:
    """An embedded struct is a base, an embedded interface is implemented."""
    files = {"a.go": "package p\ntype I interface{ M() }\ntype A struct{}\ntype B struct { A; I }\n"}
    assert pairs(files, EdgeKind.INHERITS) == {("a.go#B", "a.go#A")}
    assert pairs(files, EdgeKind.IMPLEMENTS) == {("a.go#B", "a.go#I")}


def test_a_call_of_what_comes_from_outside_is_not_unresolved() -> None:
    """Only what might be a definition of the repository is left open."""
    files = {"a.go": 'package p\nimport "net/http"\nfunc f() { r, _ := http.Get("x"); r.Body.Close(); unknown() }\n'}
    assert [call.name for item in resolved(files).values() for call in item.unresolved] == ["unknown"]
