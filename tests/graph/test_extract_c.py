"""What is read from C: one test a construct, and what stays a note."""

from __future__ import annotations

import pytest

from graph.extract.c import extract_c
from graph.extract.facts import Attribute, Collection, Constant, Definition, Facts, Name, Subscript

CONSTRUCTS: dict[str, tuple[str, str]] = {
    "functions, also with the types behind the head": ("int f(a) int a; { return a; }", "definition"),
    "prototypes": ("int f(int a);", "assign"),
    "structs, unions, enums, typedefs": ("typedef struct a { union { int x; } u; } a;", "definition"),
    "tables of functions": ("struct op ops[] = { {.run = f}, {g} };", "assign"),
    "pointers to functions": ("int (*f)(int) = g;", "definition"),
    "macros": ("#define A 1\n#define F(x) (x)\n", "definition"),
    "includes": ('#include "a.h"\n', "import"),
    "what macros expand to": ("#define F(x) g(x)\n", "note"),
    "includes of what a macro names": ("#include HEADER\n", "note"),
    "conditionals that split a construct": (
        "#if A\nint f(int a) {\n#else\nint f(long a) {\n#endif\nreturn 1; }\n",
        "note",
    ),
    "macros in the place of syntax": ("static void * STDCALL f(void) { return 0; }", "note"),
}
"""Construct -> (an example, what is kept of it); the table of what is understood."""


def facts(text: str) -> Facts:
    return extract_c(text.encode())


def named(found: Facts, qualname: str) -> Definition:
    return next(item for item in found.definitions if item.qualname == qualname)


@pytest.mark.parametrize("construct", CONSTRUCTS)
def test_every_construct_of_the_table_is_kept(construct: str) -> None:
    """Each example leaves what the table says it leaves."""
    text, kept = CONSTRUCTS[construct]
    found = facts(text)
    what: dict[str, object] = {
        "definition": found.definitions,
        "import": found.imports,
        "assign": [assign for scope in found.scopes for assign in scope.assigns],
        "note": found.notes,
    }
    assert what[kept]
    assert found.error_count == 0


def test_what_only_declares_defines_nothing() -> None:
    """Prototypes, `extern`, a struct without members; the declared type of a function is kept."""
    found = facts("int f(char *s);\nextern int x;\nstruct a;\n")
    assert found.definitions == ()
    assert found.scopes[0].assigns[0].target == Name("f")
    types = Collection("tuple", (Collection("tuple", (Name("char"),)), Name("int")))
    assert found.scopes[0].assigns[0].value == Subscript(Name("func"), types)


def test_a_typedef_of_a_struct_is_one_definition_with_one_name() -> None:
    """`typedef struct a {} a` defines a; a struct without a name is called like its first alias."""
    found = facts("typedef struct a { int x; } a;\ntypedef struct { int y; } b, *c;\ntypedef struct d e;\n")
    assert [(item.kind.value, item.qualname) for item in found.definitions] == [
        ("struct", "a"), ("variable", "a.x"), ("struct", "b"), ("variable", "b.y"), ("type", "c"), ("type", "e"),
    ]  # fmt: skip


def test_static_is_seen_by_its_file_only() -> None:
    """Everything else is exported."""
    found = facts("static int f(void) { return 1; }\nint g(void) { return 1; }\nstatic int x;\n")
    assert [item.exported for item in found.definitions] == [False, True, False]


def test_tables_keep_functions_by_member() -> None:
    """Designated members are keys; `&f` is `f`."""
    found = facts('struct op op = { .run = &go, .name = "x" };')
    value = next(item.value for item in found.scopes[0].assigns if item.how == "value")
    assert value == Collection(
        "dict", (Name("go"), Constant("str", "x")), (Constant("str", "run"), Constant("str", "name"))
    )


def test_calls_through_members_and_tables_are_kept() -> None:
    """The callee is the expression that is called."""
    found = facts("void f(void) { a->run(1); t[2](3); (*p)(); g(h()); }")
    assert [call.function for call in found.scopes[1].calls] == [
        Attribute(Name("a"), "run", 1),
        Subscript(Name("t"), Constant("int", "2")),
        Name("p"),
        Name("h"),
        Name("g"),
    ]


def test_assignments_to_what_is_not_declared_reach_the_file() -> None:
    """A local stays local, a global is one."""
    scope = facts("int g; void f(int p) { int x; x = 1; p = 2; g = 3; g = 4; }").scopes[1]
    assert scope.globals == ("g", "g")


def test_macros_in_front_of_functions_are_read_over() -> None:
    """Names, lines and parameters stay what they are."""
    found = facts(
        "API_CALL(const char *) name(void)\n{ return 0; }\nstatic void * STDCALL make(int a)\n{ return 0; }\n"
    )
    assert [(item.name, item.name_line, item.signature) for item in found.definitions] == [
        ("name", 1, "const char * name(void)"),
        ("make", 3, "static void * make(int a)"),
    ]
    assert found.error_count == 0


def test_halves_of_conditionals_are_recovered() -> None:
    """Of `#if ... #else ... #endif` around half a function the first branch is read; of `#if 0` the other."""
    halves = "#if {}\nint f(int a) {{\n#else\nint f(long a, int b) {{\n#endif\n"
    text = halves + "  return g();\n}}\nint after(void) {{ return 1; }}\n"
    for condition, parameters in (("A", 1), ("0", 2)):
        found = facts(text.format(condition))
        assert [item.name for item in found.definitions] == ["f", "after"]
        assert len(found.scopes[1].parameters) == parameters


def test_linkage_for_the_other_language_is_no_error() -> None:
    """`extern "C"` under `__cplusplus` opens a brace that closes in another conditional."""
    text = '#ifdef __cplusplus\nextern "C" {\n#endif\nint f(void) { return 1; }\n#ifdef __cplusplus\n}\n#endif\n'
    found = facts(text)
    assert [item.name for item in found.definitions] == ["f"]
    assert found.error_count == 0


def test_both_branches_of_a_whole_conditional_are_read() -> None:
    """Each definition says that it is conditional; a guard against reading twice is no condition."""
    halves = "#ifdef X\nint f(void) { return 1; }\n#else\nint f(void) { return 2; }\n#endif\n"
    found = facts(f"#ifndef A_H\n#define A_H\n{halves}int g;\n#endif\n")
    assert [(item.name, item.ordinal, item.modifiers) for item in found.definitions] == [
        ("f", 1, ("conditional",)), ("f", 2, ("conditional",)), ("g", 1, ()),
    ]  # fmt: skip
