"""What is read from C++: one test a construct, and what stays a note."""

from __future__ import annotations

import pytest

from graph.extract.cpp import extract_cpp
from graph.extract.facts import Attribute, CallExpr, Definition, Facts, FunctionRef, Name, Subscript
from graph.languages import language_of

CONSTRUCTS: dict[str, tuple[str, str]] = {
    "namespaces, nested, inline, without a name": (
        "namespace a::b { namespace { int f() { return 1; } } }",
        "definition",
    ),
    "classes, structs, unions with members": ("class A { public: int f() { return 1; } int x; };", "definition"),
    "methods outside of their class": ("int A::f() { return 1; }", "definition"),
    "constructors, destructors, operators, conversions": (
        "struct A { A() {} ~A() {} operator bool() { return 1; } };",
        "definition",
    ),
    "templates of functions, classes and aliases": ("template <class T> struct A { T x; };", "definition"),
    "concepts": ("template <class T> concept C = sizeof(T) > 1;", "definition"),
    "using of names and namespaces": ("using namespace a; using b::c;", "import"),
    "aliases": ("using A = b::C<int>; namespace d = e::f;", "definition"),
    "lambdas with captures": ("auto f = [x = 1](int a) { return a; };", "reference"),
    "range loops and structured bindings": ("void f() { for (auto& [k, v] : m) {} }", "assign"),
    "tests that a macro writes": ("TEST(Suite, Name) { f(); }", "definition"),
    "what a concept requires": ("template <class T> concept C = requires(T t) { t.f(); };", "note"),
    "other definitions that a macro writes": ("DEFINE_THING(x) { f(); }", "note"),
}
"""Construct -> (an example, what is kept of it); the table of what is understood."""


def facts(text: str) -> Facts:
    return extract_cpp(text.encode())


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
        "reference": [scope for scope in found.scopes if scope.kind == "lambda"],
        "assign": [assign for scope in found.scopes for assign in scope.assigns],
        "note": found.notes,
    }
    assert what[kept]
    assert found.error_count == 0


def test_a_method_outside_of_its_class_belongs_to_the_class() -> None:
    """To its scope where the file has it, else to an extension; the access is that of the declaration."""
    found = facts("namespace n { class A { int f(); }; int A::f() { return 1; } int B::g() { return 2; } }")
    method, other = named(found, "n.A.f"), named(found, "n.B.g")
    assert (method.kind.value, method.modifiers, method.owner) == ("method", ("private",), named(found, "n.A").scope)
    assert found.scopes[other.owner].kind == "extension"


def test_a_function_of_a_namespace_is_no_method() -> None:
    """`a::f` means a namespace where the file opens one."""
    found = facts("namespace a { int f(); }\nint a::f() { return 1; }\n")
    assert named(found, "a.f").kind.value == "function"


def test_what_has_no_code_defines_nothing() -> None:
    """Prototypes, pure methods, `= default`, `= delete`, classes that are only named."""
    found = facts("class B; struct A { A() = default; A(const A&) = delete; virtual void f() = 0; int g(); };")
    assert [item.qualname for item in found.definitions] == ["A"]


def test_macros_around_classes_and_heads_are_read_over() -> None:
    """`class EXPORT A {`, annotations of locks behind a head."""
    found = facts(
        "class LIB_EXPORT A {\n public:\n  void f() LOCKS_EXCLUDED(mutex_) { g(); }\n  int x GUARDED_BY(mutex_);\n};"
    )
    assert [item.qualname for item in found.definitions] == ["A", "A.f", "A.x"]
    assert found.error_count == 0


def test_bases_templates_and_access_are_kept() -> None:
    """What a class is derived from, and what others may see of it."""
    found = facts("template <class T> class A : public B<T>, n::C { int x; public: int y; protected: int z; };")
    assert named(found, "A").bases == (Subscript(Name("B"), Name("T")), Attribute(Name("n"), "C", 1))
    assert [(item.name, item.exported) for item in found.definitions[1:]] == [("x", False), ("y", True), ("z", True)]


def test_construction_is_a_call_in_each_of_its_forms() -> None:
    """`T x(a)`, `T x{a}`, `new T(a)`, `T(a)`, bases of a constructor."""
    found = facts("struct A : B { A() : B(1), x(2) { C c(3); D d{4}; new E(5); F(6); G g(a, b); } int x; };")
    calls = [(call.function, call.constructs) for call in found.scopes[named(found, "A.A").scope].calls]
    assert [function for function, _ in calls] == [Name(name) for name in ("B", "x", "C", "D", "E", "F", "G")]
    assert [constructs for _, constructs in calls] == [True, True, True, True, True, False, True]


def test_a_named_cast_is_a_value_of_its_type() -> None:
    """It is no call; what is called on it knows its type."""
    found = facts("void f() { static_cast<A*>(p)->go(); }")
    (call,) = found.scopes[1].calls
    assert isinstance(call.function, Attribute)
    assert call.function.base == CallExpr(Name("A"), 1, (Name("p"),), constructs=True)


def test_a_lambda_knows_its_captures() -> None:
    """`[n = f()]` binds n inside."""
    found = facts("void g() { auto v = [n = f()](int a) { return n + a; }; }")
    value = next(item.value for item in found.scopes[1].assigns if item.how == "value")
    assert isinstance(value, FunctionRef)
    scope = found.scopes[value.scope]
    assert scope.assigns[0].target == Name("n")
    assert [item.name for item in scope.parameters] == ["a"]


def test_tests_of_macros_are_named_after_suite_and_name() -> None:
    """All of them would otherwise be called like the macro."""
    (test,) = facts("TEST_F(Suite, Works) { f(); }").definitions
    assert (test.name, test.qualname, test.is_test) == ("Works", "Suite.Works", True)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("int f(int);\nstruct a { int class_of; };\n", "c"),
        ("/* class A; a::b */\n// namespace x {\nint f(void);\n", "c"),
        ("#ifdef __cplusplus\nnamespace a {\n#endif\nint f(void);\n", "c"),
        ("#include <stdio.h>\n", "c"),
        ("#include <vector>\n", "cpp"),
        ("class A;\n", "cpp"),
        ("namespace a {\n}\n", "cpp"),
        ("template <class T>\nT f();\n", "cpp"),
        ("std::string f();\n", "cpp"),
        ("struct A {\npublic:\n  int x;\n};\n", "cpp"),
    ],
)
def test_a_header_tells_its_language_by_its_content(text: str, language: str) -> None:
    """`.h` is C unless something stands in it that C does not have."""
    assert language_of("include/a.h", text.encode()) == language


def test_a_final_class_in_capitals_is_a_class() -> None:
    """Only what stands between `class` and a name is a macro, and `final` is no name."""
    found = facts("class URL final : public Base {\n int y;\n};\nclass EXPORT Name final { void f() {} };\n")
    assert [one.qualname for one in found.definitions] == ["URL", "URL.y", "Name", "Name.f"]
