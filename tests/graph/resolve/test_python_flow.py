"""Functions as values: assigned, stored, handed over, returned, decorated."""

import pytest

from graph.model import EdgeKind

HEAD = """
def f():
    pass

def g():
    pass

def call(h):
    h()

def give():
    return f

def outer():
    def inner():
        pass
    return inner

def same(function):
    return function

TABLE = {"f": f, "g": g}
LIST = [f, g]
"""


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("x = f\n    x()", {"f"}),
        ("x = f\n    x = g\n    x()", {"g"}),
        ("x = f\n    if x:\n        x = g\n    x()", {"f", "g"}),
        ("TABLE['f']()", {"f"}),
        ("TABLE[name]()", {"f", "g"}),
        ("LIST[1]()", {"g"}),
        ("for x in LIST:\n        x()", {"f", "g"}),
        ("give()()", {"give", "f"}),
        ("outer()()", {"outer", "outer.inner"}),
        ("same(f)()", {"same", "f"}),
        ("x = [f]\n    x[0]()", {"f"}),
        ("x = {}\n    x['k'] = f\n    x['k']()", {"f"}),
        ("import functools\n    functools.partial(f, 1)()", {"f"}),
        ("x, y = f, g\n    y()", {"g"}),
        ("(f if TABLE else g)()", {"f", "g"}),
    ],
)
def test_a_function_is_followed_to_its_call(graph, body, wanted):
    """The call runs what flows there, and nothing else."""
    found = graph({"m.py": f"{HEAD}\n\ndef run(name):\n    {body}\n"})
    assert found.callees("m.py#run") == {f"m.py#{name}" for name in wanted}


def test_an_argument_is_called_by_the_function_it_is_handed_to(graph):
    """`call(f)` makes `call` a caller of `f`, with the line of the call in `call`."""
    found = graph({"m.py": f"{HEAD}\ncall(f)\ncall(h=g)\n"})
    assert found.callees("m.py#call") == {"m.py#f", "m.py#g"}


def test_an_instance_handed_to_a_constructor_is_the_field(graph):
    """What the file itself passes decides where no type does."""
    text = """
class A:
    def f(self): pass

class B:
    def __init__(self, a):
        self.a = a

    def f(self):
        self.a.f()

B(A()).f()
"""
    assert graph({"m.py": text}).callees("m.py#B.f") == {"m.py#A.f"}


def test_a_declared_callable_types_the_parameters_of_a_lambda(graph):
    """The expected signature is the type of what is written in its place."""
    text = """
from typing import Callable

class State:
    def go(self): pass

def defer(action: Callable[["State"], None]):
    pass

def run():
    defer(lambda state: state.go())
"""
    assert graph({"m.py": text}).callees("m.py#run") == {"m.py#defer", "m.py#State.go"}


def test_a_decorated_function_is_itself(graph):
    """A wrapper by `functools.wraps` hides nothing; the decorator is called where it decorates."""
    text = """
import functools

def traced(function):
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args)
    return wrapper

@traced
def work():
    pass

def run():
    work()
"""
    found = graph({"m.py": text})
    assert found.callees("m.py#run") == {"m.py#work"}
    assert ("m.py", "m.py#traced") in found.edges(EdgeKind.CALLS)
    assert ("m.py#traced.wrapper", "m.py#work") in found.calls


def test_calls_that_are_not_written_have_no_line(graph):
    """Loops, `with`, `raise` and callbacks of the library run methods; the edge says so without a line."""
    text = """
class It:
    def __iter__(self): return self
    def __next__(self): return 1
    def __enter__(self): return self
    def __exit__(self, *e): pass

class Refused(Exception):
    def __init__(self): pass

def key(x): return x

def run():
    for x in It(): pass
    with It(): pass
    sorted([1], key=key)
    raise Refused
"""
    edges = [edge for edge in graph({"m.py": text}).resolved["m.py"].edges if edge.kind is EdgeKind.CALLS]
    silent = {edge.dst.split("#")[1] for edge in edges if not edge.lines}
    assert silent >= {"It.__iter__", "It.__next__", "It.__enter__", "It.__exit__", "key", "Refused", "Refused.__init__"}


def test_a_property_that_is_read_is_referenced(graph):
    """Its getter runs without a call, wherever in a chain it stands."""
    text = """
class A:
    @property
    def b(self) -> "B":
        return B()

class B:
    @property
    def c(self): return 1
    def d(self): pass

def run(a: A):
    a.b.d()
    print(a.b.c)
"""
    references = graph({"m.py": text}).edges(EdgeKind.REFERENCES)
    assert {("m.py#run", "m.py#A.b"), ("m.py#run", "m.py#B.c")} <= references


def test_several_targets_share_their_confidence(graph):
    """A dispatch table with two functions is two targets of one half."""
    edges = graph({"m.py": f"{HEAD}\n\ndef run(name):\n    TABLE[name]()\n"}).resolved["m.py"].edges
    assert {edge.confidence for edge in edges if edge.src.endswith("#run") and edge.kind is EdgeKind.CALLS} == {0.5}


def test_class_bodies_are_no_scope_for_their_methods(graph):
    """A bare name in a method is never a member of the class."""
    text = """
def helper(): pass

class A:
    def helper(self): pass

    def run(self):
        helper()

    alias = helper
"""
    found = graph({"m.py": text})
    assert found.callees("m.py#A.run") == {"m.py#helper"}


def test_global_and_nonlocal_bind_the_outer_name(graph):
    """An assignment under `global` is the module's."""
    text = f"{HEAD}\nslot = None\n\ndef fill():\n    global slot\n    slot = f\n\ndef run():\n    slot()\n"
    assert "m.py#f" in graph({"m.py": text}).callees("m.py#run")


def test_a_nonlocal_assignment_may_have_happened_or_not(graph):
    """Whenever the inner function runs, the variable around it may hold either value."""
    text = (
        "def f(): pass\ndef g(): pass\n\ndef run():\n    h = f\n    def inner():\n        nonlocal h\n        h = g\n"
        "    h()\n    inner()\n"
    )
    assert graph({"m.py": text}).callees("m.py#run") == {"m.py#f", "m.py#g", "m.py#run.inner"}


CREW = """
class Cook:
    def work(self): pass

class Waiter:
    def work(self): pass

def serve(): pass
def clean(): pass

class Shift:
    def __aiter__(self): return self
    async def __anext__(self): return Waiter()

class Kitchen:
    def __enter__(self): return Cook()
    def __exit__(self, *_): pass

"""


@pytest.mark.parametrize(
    ("head", "body", "called"),
    [
        ("", "tasks = dict(one=serve, two=clean)\n    tasks['two']()", {"clean"}),
        ("", "for task in dict(one=serve, two=clean).values(): task()", {"serve", "clean"}),
        ("", "for i, (a, b) in enumerate(zip(cooks, waiters)): b.work()", {"Waiter.work"}),
        ("", "for a, b in zip(cooks, unknown): a.work(); b.work()", {"Cook.work"}),
        ("", "[b.work() for (a, b), n in zip(zip(cooks, waiters), range(3))]", {"Waiter.work"}),
        ("", "(a, (b, c)) = pair()\n    c()", {"pair", "clean"}),
        ("from itertools import zip_longest\n", "for a, b in zip_longest(cooks, waiters): b.work()", {"Waiter.work"}),
        ("from collections import defaultdict\n", "found = defaultdict(Cook)\n    found['x'].work()", {"Cook.work"}),
        ("", "async for waiter in Shift(): waiter.work()", {"Shift", "Waiter.work"}),
        (
            "from contextlib import ExitStack\n",
            "with ExitStack() as stack:\n        stack.enter_context(Kitchen()).work()",
            {"Kitchen", "Cook.work"},
        ),
    ],
)
def test_collections_that_the_library_makes(graph, head, body, called):
    """What is put together by well-known functions comes out of them at its place."""
    pair = "def pair():\n    return serve, (serve, clean)\n\n"
    text = f"{head}{CREW}{pair}async def run(cooks: list[Cook], waiters: list[Waiter], unknown):\n    {body}\n"
    assert graph({"m.py": text}).callees("m.py#run") == {f"m.py#{name}" for name in called}


@pytest.mark.parametrize(
    ("read", "called"),
    [
        ("TABLE['a']()", {"f"}),
        ("TABLE['b']()", {"g"}),
        ("FIRST['b']()", {"g", "h"}),
        ("for function in TABLE.values(): function()", {"f", "g", "h"}),
        ("for key in TABLE: TABLE[key]()", {"f", "g"}),
        ("{**TABLE}['a']()", {"f"}),
    ],
)
def test_a_table_takes_over_the_entries_of_another(graph, read, called):
    """Entries that are spread into a table are found there, unless one that is written behind takes their place."""
    text = (
        "def f(): pass\ndef g(): pass\ndef h(): pass\n\nBASE = {'a': f, 'b': h}\nTABLE = {**BASE, 'b': g}\n"
        f"FIRST = {{'b': g, **BASE}}\n\ndef run():\n    {read}\n"
    )
    assert graph({"m.py": text}).callees("m.py#run") == {f"m.py#{name}" for name in called}


def test_a_table_that_takes_itself_over_ends(graph):
    """A table may be made of itself, in turns."""
    text = "def f(): pass\n\nA = {'a': f}\nfor _ in range(3):\n    A = {**A}\n\ndef run():\n    A['a']()\n"
    assert graph({"m.py": text}).callees("m.py#run") == {"m.py#f"}
