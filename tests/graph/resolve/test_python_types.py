"""Receivers: what a name, a field or a returned thing is, and so whose method is called."""

import pytest

CLASSES = """
from __future__ import annotations
import typing as t
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Generic, Optional, TypeVar, Union

T = TypeVar("T")


class Base:
    def hook(self):
        pass

    @property
    def twin(self) -> Thing:
        return Thing()


class Thing(Base):
    def go(self):
        pass

    def me(self):
        return self

    @classmethod
    def make(cls):
        return cls()

    @staticmethod
    def help():
        pass

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    def __iter__(self):
        return iter([Thing()])


class Box(Generic[T]):
    thing: Thing

    def __init__(self, other: Thing, plain):
        self.other = other
        self.made = Thing()
        self.many: list[Thing] = []


@dataclass
class Record:
    thing: Thing


def made():
    return Thing()


def typed() -> "Thing | None":
    return None


@contextmanager
def held():
    yield Thing()


Alias = t.Union[Thing, None]
THINGS = {"a": Thing()}
"""


@pytest.mark.parametrize(
    "body",
    [
        "x = Thing()\n    x.go()",
        "x: Thing = anything()\n    x.go()",
        "x = made()\n    x.go()",
        "x = typed()\n    x.go()",
        "made().me().go()",
        "Thing().me().me().go()",
        "Thing.make().go()",
        "Thing().twin.go()",
        "Box(Thing(), 1).other.go()",
        "Box(Thing(), 1).made.go()",
        "Box(Thing(), 1).thing.go()",
        "Box[int](Thing(), 1).thing.go()",
        "Record(made()).thing.go()",
        "for x in Box(Thing(), 1).many:\n        x.go()",
        "[x.go() for x in Box(Thing(), 1).many]",
        "Box(Thing(), 1).many[0].go()",
        "THINGS['a'].go()",
        "for key, x in THINGS.items():\n        x.go()",
        "THINGS.get('a').go()",
        "with Thing() as x:\n        x.go()",
        "with held() as x:\n        x.go()",
        "for x in Thing():\n        x.go()",
        "x = y = Thing()\n    y.go()",
        "x, y = Thing(), 1\n    x.go()",
        "if (x := made()):\n        x.go()",
        "x = made() or None\n    x.go()",
        "x = made() if made else None\n    x.go()",
        "x = None\n    if x is None:\n        x = Thing()\n    x.go()",
        "(lambda: Thing())().go()",
        "x = anything()\n    assert isinstance(x, Thing)\n    x.go()",
        "x = anything()\n    if isinstance(x, Thing) and x:\n        x.go()",
        "getattr(Thing(), 'go')()",
        "t.cast(Thing, anything()).go()",
        "match made():\n        case Thing() as x:\n            x.go()",
        "go = Thing().go\n    go()",
    ],
)
def test_the_receiver_is_known(graph, body):
    """Each body calls `Thing.go`, and nothing else is called `go`."""
    found = graph(
        {"kinds.py": CLASSES, "main.py": f"from kinds import *\nimport typing as t\n\ndef run():\n    {body}\n"}
    )
    assert "kinds.py#Thing.go" in found.callees("main.py#run")
    assert "go" not in found.unresolved()


@pytest.mark.parametrize(
    "annotation",
    [
        "Thing", "'Thing'", "Optional[Thing]", "Union[Thing, int]", "Thing | None", "t.Annotated[Thing, 1]", "Alias",
        "kinds.Thing",
    ],
)  # fmt: skip
def test_parameters_are_what_they_are_declared_to_be(graph, annotation):
    """Quotes, unions, aliases and generics are read through."""
    head = "from kinds import *\nimport kinds\nfrom typing import *\nimport typing as t\n"
    text = f"{head}\ndef run(x: {annotation}):\n    x.go()\n"
    assert graph({"kinds.py": CLASSES, "main.py": text}).callees("main.py#run") == {"kinds.py#Thing.go"}


def test_members_are_looked_up_in_the_order_of_the_hierarchy(graph):
    """C3, not depth first: the common base comes last."""
    text = """
class A:
    def f(self): pass

class B(A):
    pass

class C(A):
    def f(self): pass

class D(B, C):
    def run(self):
        self.f()
        super().f()

class E(D):
    @classmethod
    def make(cls):
        return cls()

def use():
    E.make().run()
"""
    found = graph({"m.py": text})
    assert found.callees("m.py#D.run") == {"m.py#C.f"}
    assert found.callees("m.py#use") == {"m.py#E.make", "m.py#D.run"}


def test_a_base_outside_the_repository_may_define_what_is_missing(graph):
    """`self.assertTrue` of a test case is no unresolved call."""
    found = graph(
        {"t.py": "import unittest\n\nclass T(unittest.TestCase):\n    def test(self):\n        self.assertTrue(1)\n"}
    )
    assert found.unresolved() == set()


@pytest.mark.parametrize(
    "text",
    [
        "class A(A):\n    def f(self):\n        self.g()\n",
        "class A(B): pass\nclass B(A):\n    def f(self):\n        self.g()\n",
        "class A: pass\nclass A(A):\n    def f(self):\n        super().f()\n",
        "def f():\n    return g()\ndef g():\n    return f()\nx = f()\nx.y.z()\n",
        "x = x.y\nx.z()\nfor x in x:\n    x = x(x)\n",
        "d = {}\nd['a'] = d\nd['a']['a']['a']()\nfor k, v in d.items():\n    d[k] = v\n    v()\n",
        "def f(g=lambda: f(f)):\n    return g(g)\nf(f)(f)(f)\n",
    ],
)
def test_what_runs_in_circles_ends(graph, text):
    """Cycles of inheritance, assignment and calls are cut."""
    assert graph({"m.py": text}).resolved["m.py"].path == "m.py"


def test_an_overload_is_its_implementation(graph):
    """Stubs of overloads and setters only decorate the definition of their name."""
    text = """
from typing import overload

@overload
def f(x: int) -> int: ...
@overload
def f(x: str) -> str: ...
def f(x):
    return x

def run():
    f(1)
"""
    assert graph({"m.py": text}).callees("m.py#run") == {"m.py#f~3"}


def test_a_class_has_the_methods_of_its_metaclass(graph):
    """They are found behind the class and its subclasses, not behind their instances, and members of the class win."""
    text = (
        "class Meta(type):\n    def listed(cls): pass\n    def named(cls): pass\n\n"
        "class Plugin(metaclass=Meta):\n    def named(self): pass\n\nclass Sound(Plugin):\n    pass\n\n"
        "def run():\n    Plugin.listed()\n    Plugin.named()\n\ndef below():\n    Sound.listed()\n\n"
        "def instance(sound: Sound):\n    sound.listed()\n"
    )
    found = graph({"m.py": text})
    assert found.callees("m.py#run") == {"m.py#Meta.listed", "m.py#Plugin.named"}
    assert found.callees("m.py#below") == {"m.py#Meta.listed"}
    assert found.callees("m.py#instance") == set()
