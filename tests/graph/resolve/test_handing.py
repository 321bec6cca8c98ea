"""What a call hands to a function of another file that calls its parameter."""

import pytest

from graph.resolve.handing import handed_edges
from graph.resolve.resolver import Resolver
from tests.memory import MemorySource

TOOLS = """
def run(task, other=None):
    return task()

def later(task):
    def inner():
        task()
    return inner

def rebound(task):
    task = len
    task()

def hidden(task):
    def inner(task):
        task()
    return inner

def keeps(task):
    return [task]

def many(*tasks, **named):
    for task in tasks:
        task()

def decorate(function):
    def wrapper():
        return function()
    return wrapper

class Runner:
    def __init__(self, task):
        task()

    def run(self, task):
        task()

    @staticmethod
    def fixed(task):
        task()
"""

HEAD = """
import tools
from tools import Runner, decorate, run

def job(): pass

class Job: pass

"""


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("run(job)", {("run", "job")}),
        ("run(task=job)", {("run", "job")}),
        ("run(Job)", {("run", "Job")}),
        ("run(None, job)", set()),
        ("run(job())", set()),
        ("tools.run(job)", {("run", "job")}),
        ("name = run\nname(job)", {("run", "job")}),
        ("tools.later(job)", {("later.inner", "job")}),
        ("tools.rebound(job)", set()),
        ("tools.hidden(job)", set()),
        ("tools.keeps(job)", set()),
        ("tools.many(job)", set()),
        ("Runner(job)", {("Runner.__init__", "job")}),
        ("Runner(None).run(job)", {("Runner.run", "job")}),
        ("Runner.fixed(job)", {("Runner.fixed", "job")}),
        ("@decorate\ndef decorated(): pass", {("decorate.wrapper", "decorated")}),
    ],
)
def test_what_is_handed_over_is_told(graph, body, wanted):
    """The pair is the function that calls its parameter, or its closure, and what is handed to it."""
    found = graph({"tools.py": TOOLS, "main.py": HEAD + body + "\n"})
    handed = set(found.resolved["main.py"].handed)
    assert handed == {(f"sym:python:tools.py#{src}", f"sym:python:main.py#{dst}") for src, dst in wanted}
    assert found.resolved["tools.py"].handed == ()


def test_an_edge_has_the_first_of_the_files_that_give_it():
    """However many files hand the same thing over, it is one edge."""
    assert handed_edges([("f", "g", "b.py"), ("f", "g", "a.py"), ("f", "h", "b.py")]) == [
        ("f", "g", "a.py"),
        ("f", "h", "b.py"),
    ]


def test_a_function_that_gets_everything_has_no_such_edges():
    """What is handed over by everybody says nothing about any of them."""
    many = [("general", f"g{number}", "a.py") for number in range(9)]
    assert handed_edges([*many, ("f", "g0", "a.py")]) == [("f", "g0", "a.py")]


def test_whoever_asks_second_depends_on_the_same_names() -> None:
    """What is remembered of a function for the next file that hands it something leaves no trace in the result."""
    files = {"tools.py": TOOLS} | {
        f"{name}.py": f"from tools import run, later\nrun({name})\nlater({name})\ndef {name}(): pass\n" for name in "ab"
    }
    forwards, backwards = (Resolver(MemorySource(files)) for _ in range(2))
    first = [forwards.resolve(path) for path in ("a.py", "b.py")]
    assert first == [backwards.resolve(path) for path in ("b.py", "a.py")][::-1]
    assert first[0].asked
