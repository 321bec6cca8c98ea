"""Calls and includes of C and C++, from small repositories held in memory; every edge of a case is listed."""

# ruff: noqa: E501 - the files of a case are read best on a line each
from __future__ import annotations

import json
import random

import pytest

from graph.resolve.modules_c import CModules
from graph.resolve.resolver import Resolved, Resolver
from graph.resolve.signals import signals_of
from tests.memory import MemorySource, Pairs, by_name, pairs, resolved

CASES: dict[str, tuple[dict[str, str], Pairs]] = {
    "a function behind a header, and a static one of the same name": (
        {
            "main.c": '#include "lib.h"\nint main(void) { run(); return help(); }\nstatic int help(void) { return 1; }\n',
            "lib.h": "int run(void);\n",
            "lib.c": '#include "lib.h"\nstatic int help(void) { return 2; }\nint run(void) { return help(); }\n',
            "other.c": "int run(void) { return 3; }\nint help(void) { return 4; }\n",
        },
        {("main.c#main", "lib.c#run"), ("main.c#main", "main.c#help"), ("lib.c#run", "lib.c#help")},
    ),
    "a static function of another file is not seen": (
        {
            "a.c": '#include "b.h"\nint f(void) { return g(); }\n',
            "b.h": "int h(void);\n",
            "b.c": "static int g(void) { return 1; }\n",
        },
        set(),
    ),
    "both halves of a conditional": (
        {
            "a.c": "#if X\nint g(void) { return 1; }\n#else\nint g(void) { return 2; }\n#endif\nint f(void) { return g(); }\n"
        },
        {("a.c#f", "a.c#g"), ("a.c#f", "a.c#g~2")},
    ),
    "a pointer to a function hides the function of its name": (
        {
            "a.c": "int g(void) { return 1; }\nint h(void) { return 2; }\nint f(int (*g)(void)) { int (*p)(void) = h; return g() + p(); }\n"
        },
        {("a.c#f", "a.c#h")},
    ),
    "a struct of the name of a function is no callee": (
        {"a.c": "struct g { int x; };\nint g(void) { return 1; }\nint f(void) { struct g v; return g(); }\n"},
        {("a.c#f", "a.c#g~2")},
    ),
    "methods outside of their class, through fields and pointers": (
        {
            "a.h": "namespace n { class A { public: A(int x); void run(); void stop() {} private: B* b_; }; class B { public: void run(); }; }\n",
            "a.cc": '#include "a.h"\nnamespace n {\nA::A(int x) {}\nvoid A::run() { b_->run(); stop(); }\nvoid B::run() {}\n}\n',
            "main.cc": '#include "a.h"\nint main() { n::A a(1); a.run(); auto p = new n::A(2); p->stop(); }\n',
        },
        {
            ("a.cc#n.A.run", "a.cc#n.B.run"),
            ("a.cc#n.A.run", "a.h#n.A.stop"),
            ("main.cc#main", "a.cc#n.A.A"),
            ("main.cc#main", "a.cc#n.A.run"),
            ("main.cc#main", "a.h#n.A.stop"),
        },
    ),
    "inherited methods and overloads by number of arguments": (
        {
            "a.cc": (
                "struct B { void g() {} };\nstruct A : B { void f() { g(); h(1); h(1, 2); } void h(int a) {} void h(int a, int b) {} };\n"
                "struct C { void g() {} };\n"
            )
        },
        {("a.cc#A.f", "a.cc#B.g"), ("a.cc#A.f", "a.cc#A.h"), ("a.cc#A.f", "a.cc#A.h~2")},
    ),
    "functions of namespaces, used by name and at large": (
        {
            "a.cc": "namespace n { void f() {} namespace in { void g() { f(); } } }\nvoid f() {}\nvoid h() { n::f(); f(); n::in::g(); }\n",
            "b.cc": '#include "a.cc"\nusing namespace n;\nvoid k() { in::g(); }\n',
        },
        {
            ("a.cc#n.in.g", "a.cc#n.f"),
            ("a.cc#h", "a.cc#n.f"),
            ("a.cc#h", "a.cc#f"),
            ("a.cc#h", "a.cc#n.in.g"),
            ("b.cc#k", "a.cc#n.in.g"),
        },
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_calls_lead_where_the_language_says(case: str) -> None:
    """Every edge of a case, and no other."""
    texts, wanted = CASES[case]
    assert pairs(texts) == wanted


def test_matching_by_name_fails_these_cases() -> None:
    """The cases tell a resolver from a search for names."""
    assert sum(by_name(texts) != wanted for texts, wanted in CASES.values()) >= len(CASES) - 1


@pytest.mark.parametrize(
    ("importer", "specifier", "is_system", "found"),
    [
        ("src/a.c", "a.h", False, "src/a.h"),
        ("src/a.c", "../include/p/b.h", False, "include/p/b.h"),
        ("src/a.c", "p/b.h", False, "include/p/b.h"),
        ("src/a.c", "p/b.h", True, "include/p/b.h"),
        ("src/a.c", "deep.h", False, "third/x/deep.h"),
        ("src/a.c", "twice.h", False, None),
        ("src/a.c", "string.h", True, None),
        ("src/a.c", "string.h", False, "src/string.h"),
        ("src/a.c", "vector", True, None),
        ("src/a.c", "made.h", True, "gen/odd/made.h"),
    ],
)
def test_an_include_leads_to_one_file_or_none(
    importer: str, specifier: str, is_system: bool, found: str | None
) -> None:
    """Beside the file, by the build's own list, by convention, by a tail that only one file has."""
    paths = [
        "gen/odd/made.h", "include/p/b.h", "one/twice.h", "other/made.h", "src/a.c", "src/a.h", "src/string.h",
        "third/x/deep.h", "two/twice.h",
    ]  # fmt: skip
    commands = json.dumps(
        [{"directory": "/home/me/work/build", "file": "../src/a.c", "command": "cc -I /home/me/work/gen/odd -c a.c"}]
    )
    modules = CModules(paths, {"build/compile_commands.json": commands}.get)
    assert modules.resolve(importer, specifier, is_system=is_system) == found


@pytest.mark.parametrize("text", ["", "{}", "[1]", '[{"arguments": 3}]', "[" * 10_000])
def test_a_compilation_database_of_another_shape_is_left_alone(text: str) -> None:
    """It belongs to the repository, which may write anything."""
    modules = CModules(["a.c", "x/b.h"], {"compile_commands.json": text}.get)
    assert modules.resolve("a.c", "b.h", is_system=False) == "x/b.h"


NAMES = ("one", "two", "tri")
PATHS = tuple(f"{folder}{name}{suffix}" for folder in ("", "s/") for name in NAMES for suffix in (".h", ".c"))
FORMS = (
    '#include "{m}.h"',
    '#include "s/{m}.h"',
    "#include <{n}.h>",
    "int {m}(void);",
    "int {n}(void) {{ return {m}(); }}",
    "static int {m}(void) {{ return {n}(); }}",
    "struct {m} {{ int {n}; }};",
)


@pytest.mark.parametrize("seed", [*range(6), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(6, 100))])
def test_an_incremental_result_equals_a_cold_one(seed: int) -> None:
    """Headers and sources that come and go are heard of by those that look for them."""
    rng = random.Random(f"c {seed}")  # noqa: S311 - a history that can be replayed
    files: dict[str, str] = {}
    done: dict[str, Resolved] = {}
    for _ in range(10):
        after = dict(files)
        for path in rng.sample(PATHS, 2):
            if path in after and rng.random() < 0.5:
                del after[path]
            else:
                forms = [rng.choice(FORMS) for _ in range(rng.randint(1, 4))]
                after[path] = "\n".join(form.format(n=rng.choice(NAMES), m=rng.choice(NAMES)) for form in forms)
        changed = {path for path in files.keys() & after.keys() if files[path] != after[path]}
        around = {other.rpartition("/")[0] for other in files.keys() & after.keys()} - {""}
        for path in files.keys() ^ after.keys():
            changed.update(signals_of(path, around))
        resolver = Resolver(MemorySource(after))
        done = {path: item for path, item in done.items() if path in after}
        for path in after:
            if path not in done or path in changed or not changed.isdisjoint(done[path].depends_on):
                done[path] = resolver.resolve(path)
        files = after
        assert done == resolved(files)
