"""Calls and imports of Java, from small repositories held in memory; every edge of a case is listed."""

# ruff: noqa: E501 - the files of a case are read best on a line each
from __future__ import annotations

import random

import pytest

from graph.model import EdgeKind
from graph.resolve.modules_java import JavaModules
from graph.resolve.overloads_java import best_fits
from graph.resolve.resolver import Resolved, Resolver
from graph.resolve.signals import signals_of
from tests.memory import MemorySource, Pairs, by_name, pairs, resolved

CASES: dict[str, tuple[dict[str, str], Pairs]] = {
    "a type of the same package, by constructor and field": (
        {
            "src/main/java/a/A.java": "package a; class A { B b = null; void f() { b.g(); new B(1).g(); } }",
            "src/main/java/a/B.java": "package a; class B { B(int x) {} void g() {} }",
            "src/main/java/b/B.java": "package b; class B { void g() {} }",
        },
        {
            ("src/main/java/a/A.java#A.f", "src/main/java/a/B.java#B.g"),
            ("src/main/java/a/A.java#A.f", "src/main/java/a/B.java#B.B"),
        },
    ),
    "an imported type, a static import, an import of all": (
        {
            "a/A.java": "package a; import b.B; import static b.B.of; import c.*; class A { void f() { of().g(); C.h(); } }",
            "b/B.java": "package b; public class B { public static B of() { return null; } public void g() {} }",
            "c/C.java": "package c; public class C { public static void h() {} public void g() {} }",
        },
        {("a/A.java#A.f", "b/B.java#B.of"), ("a/A.java#A.f", "b/B.java#B.g"), ("a/A.java#A.f", "c/C.java#C.h")},
    ),
    "inherited methods, super, and an override": (
        {
            "A.java": "class A extends B { void f() { g(); super.h(); h(); } void h() {} }",
            "B.java": "class B { void g() {} void h() {} }",
        },
        {("A.java#A.f", "B.java#B.g"), ("A.java#A.f", "B.java#B.h"), ("A.java#A.f", "A.java#A.h")},
    ),
    "overloads by number and type of arguments": (
        {
            "A.java": (
                "class A { void f(int x) {} void f(String s) {} void f(Object o, int... more) {} "
                'void g(String s) { f(1); f(s); f("a" + 1); f(null, 1, 2); } }'
            )
        },
        {("A.java#A.g", "A.java#A.f"), ("A.java#A.g", "A.java#A.f~2"), ("A.java#A.g", "A.java#A.f~3")},
    ),
    "a field in its own method is no call of itself": (
        {"A.java": "class A { B b; void run() { this.b.run(); } } class B { void run() {} }"},
        {("A.java#A.run", "A.java#B.run")},
    ),
    "what collections hold": (
        {
            "A.java": (
                "import java.util.*; class A { List<B> all; Map<String, B> named; "
                'void f() { all.get(0).g(); named.get("x").g(); all.forEach(b -> b.g()); for (var b : all) b.h(); } }'
            ),
            "B.java": "class B { void g() {} void h() {} } class C { void g() {} }",
        },
        {("A.java#A.f", "B.java#B.g"), ("A.java#A.f", "B.java#B.h")},
    ),
    "nested types, classes without a name, enums": (
        {
            "A.java": (
                "class A { enum E { X { void g() { h(); } }; void g() {} void h() {} } "
                "void f() { E.X.g(); new I() { public void r() { k(); } }; } void k() {} interface I { void r(); } }"
            )
        },
        {
            ("A.java#A.E.X.$E.g", "A.java#A.E.h"),
            ("A.java#A.f", "A.java#A.E.g"),
            ("A.java#A.f", "A.java#A.I"),
            ("A.java#A.f.$I.r", "A.java#A.k"),
        },
    ),
    "a name from outside is bound to nothing": (
        {
            "A.java": "import x.Log; class A { void f(String s) { Log.get().info(); s.trim(); System.exit(1); } void info() {} }",
            "B.java": "class B { void info() {} void trim() {} void exit(int code) {} }",
        },
        set(),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_calls_lead_where_the_language_says(case: str) -> None:
    """Every edge of a case, and no other."""
    texts, wanted = CASES[case]
    assert pairs(texts) == wanted


def test_matching_by_name_fails_these_cases() -> None:
    """The cases tell a resolver from a search for names."""
    assert sum(by_name(texts) != wanted for texts, wanted in CASES.values()) >= len(CASES) - 2


def test_imports_lead_to_files() -> None:
    """Single types, nested ones, members, and of a package what is used of it."""
    texts = {
        "src/main/java/a/A.java": "package a; import b.B; import b.B.In; import static c.C.f; import d.*; class A { D d; }",
        "src/main/java/b/B.java": "package b; public class B { public static class In {} }",
        "src/main/java/c/C.java": "package c; public class C { public static void f() {} }",
        "src/main/java/d/D.java": "package d; public class D {}",
        "src/main/java/d/Unused.java": "package d; public class Unused {}",
        "src/test/java/b/BTest.java": "package b; import java.util.List; class BTest {}",
    }
    assert pairs(texts, EdgeKind.IMPORTS) == {
        ("src/main/java/a/A.java", f"src/main/java/{name}.java") for name in ("b/B", "c/C", "d/D")
    }


def test_overrides_are_told_apart_by_parameters() -> None:
    """A method of the same name with other parameters overrides nothing."""
    texts = {
        "A.java": "class A implements I { public void f(int x) {} void f(String s) {} } interface I { void f(int y); }"
    }
    assert pairs(texts, EdgeKind.OVERRIDES) == {("A.java#A.f", "A.java#I.f")}


def test_the_nearest_of_several_copies_is_meant() -> None:
    """Modules of one repository may hold a type of the same name."""
    modules = JavaModules(["one/src/a/B.java", "two/src/a/B.java", "two/src/a/C.java"])
    found = modules.resolve("two/src/a/C.java", "a.B.In")
    assert found is not None
    assert (found.path, found.inside) == ("two/src/a/B.java", ("B", "In"))
    assert modules.resolve("two/src/a/C.java", "x.B") is None


def test_what_fits_equally_well_is_all_meant() -> None:
    """An argument of a type that is not known decides nothing."""
    shapes = [(), (), ()]
    assert best_fits(shapes, 1, lambda _: ()) == []
    assert best_fits(shapes, 0, lambda _: ()) == [0, 1, 2]


NAMES = ("A", "B", "C")
PATHS = tuple(f"{folder}/{name}.java" for folder in ("p", "q", "x/p") for name in NAMES)
FORMS = (
    "class {n} extends {m} {{ {m} x; void f() {{ x.g(); g(); }} }}",
    "class {n} {{ void g() {{ new {m}().f(); {m}.h(); }} static void h() {{}} }}",
    "class {n} implements {m} {{ public void f(int a) {{ f(1); }} void f() {{}} }}",
    "interface {n} {{ void f(int a); default void g() {{ f(2); }} }}",
)
IMPORTS = ("import p.{n};", "import q.*;", "import static p.{n}.h;", "import static q.{n}.*;")


def text_of(rng: random.Random, path: str) -> str:
    folder, name = path.removesuffix(".java").rsplit("/", 1)
    head = [f"package {folder.rsplit('/', 1)[-1]};", *rng.sample(IMPORTS, rng.randint(0, 2))]
    return "\n".join([*head, rng.choice(FORMS)]).format(n=name, m=rng.choice(NAMES))


@pytest.mark.parametrize("seed", [*range(6), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(6, 100))])
def test_an_incremental_result_equals_a_cold_one(seed: int) -> None:
    """Files that come and go are heard of by those that look for them."""
    rng = random.Random(f"java {seed}")  # noqa: S311 - a history that can be replayed
    files: dict[str, str] = {}
    done: dict[str, Resolved] = {}
    for _ in range(10):
        after = dict(files)
        for path in rng.sample(PATHS, 2):
            if path in after and rng.random() < 0.5:
                del after[path]
            else:
                after[path] = text_of(rng, path)
        changed = {path for path in files.keys() & after.keys() if files[path] != after[path]}
        for path in files.keys() ^ after.keys():
            around = {"/".join(other.split("/")[:depth]) for other in files.keys() & after.keys() for depth in (1, 2)}
            changed.update(signals_of(path, around))
        resolver = Resolver(MemorySource(after))
        done = {path: item for path, item in done.items() if path in after}
        for path in after:
            if path not in done or path in changed or not changed.isdisjoint(done[path].depends_on):
                done[path] = resolver.resolve(path)
        files = after
        assert done == resolved(files)
