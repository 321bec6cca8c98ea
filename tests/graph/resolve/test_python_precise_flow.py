"""Values told apart: by place, by key, by order, by the call that hands them over, by what decorators make of them."""

import pytest

from graph.model import EdgeKind

HEAD = """
def f(): pass
def g(): pass
def h(): pass

def same(function, other=h):
    return function

def either(function=h):
    return function

def call_both(x, y):
    x()
    y()
"""


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("a, *b, c = f, g, h, f\nb[0]()\nb[1]()", {"g", "h"}),
        ("a, *b, c = f, g, h\nc()", {"h"}),
        ("a, *b = [f, g]\nb[0]()", {"g"}),
        ("*b, c = f, g\nc()", {"g"}),
        ("items = (f, g, h)\n*b, c = items\nc()", {"h"}),
        ("items = [f, g, h]\nitems[1:3][0]()", {"g"}),
        ("items = [f, g, h]\nrest = items[1:]\nrest[1]()", {"h"}),
        ("items = [f, g, h]\nitems[:-2][0]()", {"f"}),
        ("items = [f, g]\nitems[n:m][0]()", {"f"}),
        ("table = {1: f, '1': g}\ntable[1]()", {"f"}),
        ("table = {1: f, '1': g}\ntable['1']()", {"g"}),
        ("table = {'a': f}\ntable.update({'a': g})\ntable['a']()", {"g"}),
        ("table = {'a': f}\ntable.update(a=g)\ntable['a']()", {"g"}),
        ("table = {'a': f}\ntable.update({'b': g})\ntable['a']()", {"f"}),
        ("table = {'a': f}\nif n:\n    table.update({'a': g})\ntable['a']()", {"f", "g"}),
        ("same(f)\nsame(g)()", {"g"}),
        ("either(f)\neither(g)()", {"g"}),
        ("either(f)\neither()()", {"f", "h"}),
    ],
)
def test_only_what_really_comes_there_is_called(graph, body, wanted):
    """Neighbours in a list, other keys and other calls of the same function are not mixed in."""
    indented = "".join(f"    {line}\n" for line in body.split("\n"))
    found = graph({"m.py": f"{HEAD}\ndef run(n, m):\n{indented}"})
    assert found.callees("m.py#run") - {"m.py#same", "m.py#either"} == {f"m.py#{name}" for name in wanted}


def test_a_class_that_keeps_a_name_of_the_module_keeps_what_it_names(graph):
    """`Error = Error` in the body of a class reads the name outside, which the class then carries."""
    text = (
        "class Error(Exception):\n    def __init__(self): pass\n\n"
        "class Registry:\n    Error = Error\n\n    def run(self):\n        raise self.Error()\n"
    )
    assert graph({"m.py": text}).callees("m.py#Registry.run") == {"m.py#Error"}


def test_what_a_decorator_makes_of_a_function_runs_too(graph):
    """The call keeps its line with the function that was written; the wrapper is called without one."""
    text = (
        "def deco(function):\n    def wrapper():\n        return function()\n    return wrapper\n\n"
        "@deco\ndef f(): pass\n\ndef run():\n    f()\n"
    )
    found = graph({"m.py": text})
    assert found.callees("m.py#run") == {"m.py#f"}
    assert ("m.py#run", "m.py#deco.wrapper") in found.edges(EdgeKind.CALLS)
    assert found.callees("m.py#deco.wrapper") == {"m.py#f"}


def test_a_chain_of_decorators_hands_on_what_each_one_makes(graph):
    """The outer decorator gets the wrapper of the inner one, and calls that."""
    text = (
        "def one(function):\n    def first():\n        return function()\n    return first\n\n"
        "def two(function):\n    def second():\n        return function()\n    return second\n\n"
        "@one\n@two\ndef f(): pass\n\ndef run():\n    f()\n"
    )
    found = graph({"m.py": text})
    assert ("m.py#run", "m.py#one.first") in found.edges(EdgeKind.CALLS)
    assert found.callees("m.py#one.first") == {"m.py#two.second"}
    assert found.callees("m.py#two.second") == {"m.py#f"}


def test_a_decorator_from_outside_hands_on_what_it_decorates(graph):
    """`@outer @functools.cache def f` gives f to the outer one."""
    text = (
        "import functools\nimport unknown\n\ndef outer(function):\n    function()\n    return function\n\n"
        "@outer\n@unknown.thing\ndef f(): pass\n\n@outer\n@functools.cache\ndef g(): pass\n"
    )
    assert graph({"m.py": text}).callees("m.py#outer") == {"m.py#f", "m.py#g"}


SHAPES = """
class Round:
    def roll(self): pass

class Square:
    def roll(self): pass

"""


@pytest.mark.parametrize(
    "body",
    ["return self.shape()", "made = self.shape()\n        return made", "return self.build()"],
)
def test_an_inherited_method_uses_what_the_class_of_its_receiver_overrides(graph, body):
    """What a subclass puts in the place of a class attribute or method is what its instances get back."""
    text = SHAPES + (
        f"class Maker:\n    shape = Round\n    def make(self):\n        {body}\n"
        "    def build(self):\n        return Round()\n\n"
        "class Squares(Maker):\n    shape = Square\n    def build(self):\n        return Square()\n\n"
        "def run():\n    Squares().make().roll()\n\ndef keep():\n    Maker().make().roll()\n"
    )
    found = graph({"m.py": text})
    assert "m.py#Square.roll" in found.callees("m.py#run")
    assert "m.py#Round.roll" not in found.callees("m.py#run")
    assert "m.py#Round.roll" in found.callees("m.py#keep")
    assert "m.py#Square.roll" not in found.callees("m.py#keep")
