"""What users of code graphs complain about, each as a case that a resolver by name fails."""

import pytest

from graph.model import EdgeKind
from tests.memory import by_name, pairs

SAME_NAME = {
    "app.py": """
from store import save

def run():
    save()
""",
    "store.py": """
def save():
    pass
""",
    "draft.py": """
class Draft:
    def save(self):
        pass
""",
}

CHAINED = {
    "app.py": """
from query import Query

def run(query: Query):
    query.where().first()
""",
    "query.py": """
class Query:
    def where(self) -> "Query":
        return self

    def first(self):
        pass
""",
    "other.py": """
class Cursor:
    def first(self):
        pass
""",
}

FIELD = {
    "app.py": """
class Engine:
    def start(self):
        pass

class Car:
    def __init__(self):
        self.engine = Engine()

    def start(self):
        self.engine.start()
""",
}

IMPORTED = {
    "pkg/__init__.py": "from .core import handle\n",
    "pkg/core.py": """
def handle():
    pass
""",
    "main.py": """
from pkg import handle as go

def run():
    go()
""",
    "unrelated.py": """
def go():
    pass
""",
}

CALLBACK = {
    "app.py": """
def traced(function):
    return function

def on_click():
    pass

def on_key():
    pass

@traced
def main(register):
    register(on_click, key=on_key)
""",
}

ANONYMOUS = {
    "app.py": """
def work():
    pass

def spread(items):
    return map(lambda item: work(), items)
""",
    "twin.py": """
def work():
    pass
""",
}


def test_a_call_is_not_bound_to_a_symbol_that_only_shares_its_name(graph, mutant):
    """`save()` is the imported function, and not the method of a class that nobody mentioned."""
    wanted = {"store.py#save"}
    assert graph(SAME_NAME).callees("app.py#run") == wanted
    assert {dst for src, dst in mutant(SAME_NAME) if src == "app.py#run"} != wanted


def test_a_chained_receiver_is_not_dropped(graph, mutant):
    """`query.where().first()` is resolved through what `where` returns."""
    wanted = {"query.py#Query.where", "query.py#Query.first"}
    assert graph(CHAINED).callees("app.py#run") == wanted
    assert {dst for src, dst in mutant(CHAINED) if src == "app.py#run"} != wanted


def test_a_method_of_a_field_is_no_self_edge(graph, mutant):
    """`self.engine.start()` inside `start` is the engine's."""
    wanted = {"app.py#Engine.start"}
    assert graph(FIELD).callees("app.py#Car.start") == wanted
    assert {dst for src, dst in mutant(FIELD) if src == "app.py#Car.start"} != wanted


def test_a_plainly_imported_function_shows_its_callers(graph, mutant):
    """Through a package's `__init__` and an alias the caller is still found."""
    wanted = {"pkg/core.py#handle"}
    assert graph(IMPORTED).callees("main.py#run") == wanted
    assert {dst for src, dst in mutant(IMPORTED) if src == "main.py#run"} != wanted


@pytest.mark.parametrize("used", ["on_click", "on_key", "traced"])
def test_callbacks_decorators_and_keyword_references_are_uses(graph, mutant, used):
    """Nothing that is handed on or decorates is dead code."""
    uses = {dst for _, dst in graph(CALLBACK).edges(EdgeKind.REFERENCES)}
    assert f"app.py#{used}" in uses
    assert f"app.py#{used}" not in {dst for _, dst in mutant(CALLBACK)} or used == "traced"


def test_calls_in_anonymous_functions_belong_to_the_nearest_named_one(graph, mutant):
    """The lambda's call is a call of `spread`, and of the right `work`."""
    wanted = {"app.py#work"}
    assert graph(ANONYMOUS).callees("app.py#spread") == wanted
    assert {dst for src, dst in mutant(ANONYMOUS) if src == "app.py#spread"} != wanted


def test_a_call_that_nothing_resolves_is_kept_as_unresolved(graph):
    """An unknown receiver is no caller of anything, and is not forgotten."""
    found = graph({"app.py": "def save():\n    pass\n\ndef run(thing):\n    thing.save()\n"})
    assert found.callees("app.py#run") == set()
    assert found.unresolved() == {"save"}


SCRIPTS = {
    "a call bound to any symbol of its name": (
        {
            "a.ts": "import { other } from 'elsewhere'; export function run() { other.render() }",
            "b.ts": "export function render() {}",
        },
        set(),
    ),
    "a chained receiver that is dropped": (
        {
            "a.ts": "class A { b() { return new C() } } class C { c() {} } class D { c() {} }\n"
            "function run() { new A().b().c() }"
        },
        {"a.ts#A", "a.ts#A.b", "a.ts#C.c"},
    ),
    "a field whose method has the name of the method around": (
        {"a.ts": "class B { run() {} } class A { f = new B(); m() {} } function run(a: A) { a.f.run() }"},
        {"a.ts#B.run"},
    ),
    "a plainly imported function without callers": (
        {"a.ts": "import { f as g } from './b'; export function run() { g() }", "b.ts": "export function f() {}"},
        {"b.ts#f"},
    ),
    "a call in a callback without a name": (
        {
            "a.ts": "function f() {}\nfunction run() { on(() => { later(function () { f() }) }) }",
            "b.ts": "export function f() {}",
        },
        {"a.ts#f"},
    ),
}
"""Complaints 1 to 4 and 6: what `run` of a script calls."""


@pytest.mark.parametrize("complaint", SCRIPTS)
def test_complaints_about_scripts_are_answered_and_fail_by_name(complaint):
    """The calls of `run` are exactly the right ones, which linking by name does not find."""
    texts, wanted = SCRIPTS[complaint]
    assert {dst for src, dst in pairs(texts) if src == "a.ts#run"} == wanted
    assert {dst for src, dst in by_name(texts) if src == "a.ts#run"} != wanted


def test_functions_that_scripts_hand_on_are_uses_which_calls_by_name_do_not_show():
    """Complaint 5: an argument, a decorator and a value in a table are no dead code."""
    texts = {"a.ts": "function f() {} function d() {} function g() {}\nregister(f); @d class A {}\nconst t = { g }"}
    uses = {dst for _, dst in pairs(texts, EdgeKind.REFERENCES)}
    assert {"a.ts#f", "a.ts#d", "a.ts#g"} <= uses
    assert not {"a.ts#f", "a.ts#g"} & {dst for _, dst in by_name(texts)}
