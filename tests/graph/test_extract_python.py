"""What the facts of a Python file say."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph.extract.facts import Attribute, CallExpr, Facts, Name
from graph.extract.python import extract_python
from graph.model import NodeKind


def facts(text: str) -> Facts:
    return extract_python(text.encode())


def kinds(text: str) -> dict[str, NodeKind]:
    return {item.qualname: item.kind for item in facts(text).definitions}


def called(text: str) -> list[str]:
    found = []
    for scope in facts(text).scopes:
        for call in scope.calls:
            function = call.function
            if isinstance(function, Name):
                found.append(function.id)
            elif isinstance(function, Attribute):
                found.append(function.name)
    return sorted(found)


def test_definitions_have_kinds_and_dotted_names():
    """Functions, methods, classes, enums, protocols, variables, aliases, nested ones."""
    text = """
LIMIT = 3
size: int
type Pair = tuple[int, int]

class Shape(Protocol):
    area: int = 0
    def draw(self):
        def inner(): pass
        local = 1

class Colour(enum.Enum):
    RED = 1

async def run(): pass
if LIMIT:
    def late(): pass
"""
    assert kinds(text) == {
        "LIMIT": NodeKind.VARIABLE,
        "size": NodeKind.VARIABLE,
        "Pair": NodeKind.TYPE,
        "Shape": NodeKind.INTERFACE,
        "Shape.area": NodeKind.VARIABLE,
        "Shape.draw": NodeKind.METHOD,
        "Shape.draw.inner": NodeKind.FUNCTION,
        "Colour": NodeKind.ENUM,
        "Colour.RED": NodeKind.VARIABLE,
        "run": NodeKind.FUNCTION,
        "late": NodeKind.FUNCTION,
    }


def test_a_decorated_definition_starts_at_its_decorator():
    """The first line is the decorator's, the name has its own."""
    (item,) = facts("@a\n@b(1)\ndef f(x, *, y=2):\n    '''Say.\n\n    More.\n    '''\n").definitions
    assert (item.start_line, item.name_line, item.end_line) == (1, 3, 7)
    assert item.signature == "def f(x, *, y=2)"
    assert item.doc == "Say.\n\nMore."


def test_a_signature_is_one_line():
    """Line breaks, blanks and comments of the source are gone."""
    (item,) = facts("def f(\n    a: int,  # the first\n    b: str = 'x',\n) -> None:\n    pass\n").definitions
    assert item.signature == "def f(a: int, b: str = 'x') -> None"


def test_the_same_name_twice_is_numbered():
    """Ordinals make keys unique."""
    assert [item.ordinal for item in facts("def f(): pass\ndef f(): pass\nclass f: pass\n").definitions] == [1, 2, 3]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f(g(h()))", ["f", "g", "h"]),
        ("a.b().c().d()", ["b", "c", "d"]),
        ("x = [f(i) for i in g() if h(i)]", ["f", "g", "h"]),
        ("x = {k(): v() for a in b()}", ["b", "k", "v"]),
        ("f'{a()!r:>{b()}}' 'x' f'{c()}'", ["a", "b", "c"]),
        ("lambda x=f(): g(x)", ["f", "g"]),
        ("with a() as b, c(): d()", ["a", "c", "d"]),
        ("try:\n    a()\nexcept b():\n    c()\nelse:\n    d()\nfinally:\n    e()", ["a", "b", "c", "d", "e"]),
        ("match a():\n    case 1 if b():\n        c()", ["a", "b", "c"]),
        ("assert a(), b()", ["a", "b"]),
        ("del a().b", ["a"]),
        ("raise a() from b()", ["a", "b"]),
        ("while a(): b()\nelse: c()", ["a", "b", "c"]),
        ("async def f():\n    await a()\n    async for x in b(): c()\n    yield d()", ["a", "b", "c", "d"]),
        ("print(a(), *b(), **c(), k=d())", ["a", "b", "c", "d", "print"]),
        ("x[a():b()] += c()", ["a", "b", "c"]),
        ("(y := a())", ["a"]),
        ("a() if b() else c()", ["a", "b", "c"]),
        ("a() + b() < c() and not d()", ["a", "b", "c", "d"]),
        ("class A(b()): x = c()", ["b", "c"]),
        ("f(x() for x in y())", ["f", "x", "y"]),
        ("return_ = yield_ = a()", ["a"]),
    ],
)
def test_every_call_is_recorded_once(text, expected):
    """Wherever a call stands it is in exactly one scope."""
    assert called(text) == expected


def test_a_call_has_the_line_of_its_name():
    """Chains over several lines keep a line for each link."""
    (scope,) = facts("(a\n  .b()\n  .c())\n").scopes
    assert [(call.line, call.start_line) for call in scope.calls] == [(2, 1), (3, 1)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import a.b, c as d", [("a.b", "module", 0, ["=a"]), ("c", "module", 0, ["=d"])]),
        ("from a import b as c, d", [("a", "names", 0, ["b=c", "d=d"])]),
        ("from . import x", [("", "names", 1, ["x=x"])]),
        ("from ...a.b import (\n  x,\n  y as z,\n)", [("a.b", "names", 3, ["x=x", "y=z"])]),
        ("from a import *", [("a", "names", 0, ["*=*"])]),
        ("from __future__ import annotations", []),
    ],
)
def test_imports_as_written(text, expected):
    """Specifier, dots, names and aliases."""
    found = [
        (item.specifier, item.kind, item.level, [f"{name.name}={name.alias}" for name in item.names])
        for item in facts(text).imports
    ]
    assert found == expected


def test_public_names_are_read_through_concatenation():
    """`__all__` is a list that may grow."""
    assert facts("__all__ = ['a']\n__all__ += ['b']\n").public_names == ("a", "b")
    assert facts("a = 1\n").public_names is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("__all__ = ['a'] + ['b']\n", ("a", "b")),
        ("__all__ = ['a']\n__all__.append('b')\n__all__.extend(('c', 'd'))\n", ("a", "b", "c", "d")),
        ("__all__ = ['a']\n__all__ += b.__all__\n", None),
        ("__all__ = ['a']\n__all__.extend(b.__all__)\n__all__ += ['c']\n", None),
        ("__all__ = ['a', *b.__all__]\n", None),
        ("__all__ = []\ndef public(f):\n    __all__.append(f.__name__)\n    return f\n", None),
        (f"__all__ = {[f'a{i}' for i in range(400)]}\n", None),
    ],
)
def test_public_names_are_kept_only_where_all_of_them_are_written_out(text, expected):
    """A list that is known in part would hide the rest of the module from whoever imports all of it."""
    assert facts(text).public_names == expected


def test_markers_stand_in_comments_only():
    """A string that says TODO is no debt."""
    found = facts("x = '# TODO no'\ny = 1  # TODO: yes\n# FIXME(me) later\n").markers
    assert [(item.category, item.text, item.line) for item in found] == [("TODO", "yes", 2), ("FIXME", "(me) later", 3)]


def test_assignments_say_how_surely_they_happen():
    """Straight, in a branch, in a loop."""
    (scope,) = facts("a = 1\nif a:\n    b = 1\nfor c in d:\n    e = 1\n").scopes
    assert [(item.how, item.flow) for item in scope.assigns] == [
        ("value", 0), ("value", 1), ("iterate", 2), ("value", 2),
    ]  # fmt: skip


def test_raise_and_decorators_are_calls_without_a_line():
    """What runs without being written as a call has line 0."""
    calls = facts("@trace\ndef f():\n    raise Refused\n").scopes
    found = [call for scope in calls for call in scope.calls]
    assert {(call.function, call.line) for call in found} == {(Name("trace"), 0), (Name("Refused"), 0)}


@pytest.mark.parametrize(
    "data",
    [
        b"(" * 100_000,
        b"[" * 50_000 + b"]" * 50_000,
        b"x" + b"()" * 50_000,
        b"a" + b".a" * 50_000,
        b"-" * 100_000 + b"1",
        b"not " * 50_000 + b"a",
        b"a if b else " * 10_000,
        b"\n".join(b" " * depth + b"if a:" for depth in range(1_000)),
        b"\xff\xfe\x00" * 100,
        b"x = '" + b"y" * 5_000_000 + b"'",
        b"f(" + b"a(b), " * 20_000 + b")",
        b"",
    ],
    ids=range(12),
)
def test_hostile_bytes_are_read_in_bounds(data):
    """Depth is cut and noted; nothing overflows and nothing is refused."""
    assert isinstance(extract_python(data), Facts)


def test_a_long_chain_of_operators_is_followed_to_its_end():
    """Sums of thousands of strings lean left; that is no depth."""
    found = extract_python(b"x = a" + b" + b" * 5_000 + b" + f()")
    assert [type(call) for call in found.scopes[0].calls] == [CallExpr]
    assert found.notes == ()


def test_what_is_cut_is_noted():
    """The facts say themselves that they are not whole."""
    assert any("nested deeper" in note for note in extract_python(b"f" + b"(f" * 500 + b")" * 500).notes)


_PIECES = st.sampled_from(
    [
        "def f(", "a", ")", ":", "\n", "    ", "class A", "(", "[", "]", "@", "=", ".", ",", "import ", "from ", "as ",
        "with ", "for ", " in ", "try:", "except ", "match x:\n case ", "lambda ", "*", "'", '"""', "f'{", "}", "if ",
        "yield ", "return ", "global ", "->", "type ", "async ", "await ", "isinstance(a, b)", "raise ", "del ",
    ]
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.lists(_PIECES, max_size=40))
def test_broken_sources_never_raise(pieces):
    """Whatever recovery leaves of a tree, there are facts, and each definition names a real scope."""
    found = extract_python("".join(pieces).encode())
    assert all(item.scope < len(found.scopes) for item in found.definitions)


def test_extraction_is_a_function_of_the_bytes():
    """The same bytes give equal facts."""
    text = "from a import b\nclass C(b):\n    def d(self): return [x() for x in self.y]\n"
    assert facts(text) == facts(text)
