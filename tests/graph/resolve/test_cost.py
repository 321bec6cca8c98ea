"""Files that a generator wrote, or that a stranger made to be expensive: the time grows with the lines, no faster."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

import pytest

from graph.extract.facts import Facts
from graph.model import EdgeKind
from graph.resolve import core
from graph.resolve.resolver import Resolver
from tests.memory import MemorySource, pairs


def lines(form: str, count: int) -> str:
    return "".join(form.format(i=i, j=i + 1, k=i * 7 % count) for i in range(count))


SOURCES: dict[str, Callable[[int], str]] = {
    "a name bound in a thousand branches": lambda n: (
        "class A:\n    def m(self): return self\nx = A()\n" + "if c: x = x.m()\n" * n
    ),
    "a thousand type tests of one name": lambda n: (
        "def f(x):\n" + lines("    if isinstance(x, A{i}):\n        x.m()\n", n) + lines("class A{i}: pass\n", n)
    ),
    "an attribute that is set on a thousand objects": lambda n: lines(
        "class A{i}:\n    def m(self): self.c.m()\na{i} = A{i}()\nA{i}.x = f\nA{i}.x()\n", n // 3
    ),
    "members that nobody defines, above a thousand classes": lambda n: lines(
        "class P{i}:\n    def m(self): self.q()\nclass Q{i}(P{i}): pass\n", n // 3
    ),
    "a hierarchy written from its end": lambda n: lines("class C{i}(C{j}):\n    def n(self): self.m()\n", n // 3),
}


SCRIPTS: dict[str, Callable[[int], str]] = {
    "prototypes of a thousand functions": lambda n: lines(
        "function F{i}() {{}} F{i}.prototype = new F{k}(); F{i}.prototype.m = function () {{ this.n() }}\n", n // 4
    ),
    "an interface in a thousand parts": lambda n: (
        lines("interface A {{ m{i}(): A }}\n", n) + "function f(a: A) {\n" + lines("a.m{i}()\n", n) + "}"
    ),
}


class Extracted(MemorySource):
    """One file whose facts are at hand, so that resolution alone is timed."""

    def __init__(self, path: str, text: str) -> None:
        super().__init__({path: text})
        self._facts = super().facts(path)

    def facts(self, path: str) -> Facts:
        return self._facts


def seconds_for(text: str, path: str) -> float:
    """Return the CPU time that resolving a file takes: of two tries the better one, others share the machine."""
    taken: list[float] = []
    gc.collect()
    gc.disable()  # a sync looks for cycles hardly ever, and the heap of a test run is not that of the file
    for source in (Extracted(path, text), Extracted(path, text)):
        started = time.process_time()
        assert Resolver(source).resolve(path).edges
        taken.append(time.process_time() - started)
    gc.enable()
    return min(taken)


def grows_with_the_lines(source: Callable[[int], str], path: str) -> bool:
    """Tell whether four times the lines take about four times the time, by the best of a few tries."""
    tries = ((seconds_for(source(600), path), seconds_for(source(2_400), path)) for _ in range(4))
    return any(many < 9 * few for few, many in tries)


@pytest.mark.parametrize("name", SOURCES)
def test_time_grows_with_the_lines(name: str) -> None:
    """Four times the lines take four times the time; reading everything again for each line would take sixteen."""
    assert grows_with_the_lines(SOURCES[name], "m.py")


@pytest.mark.parametrize("name", SCRIPTS)
def test_time_grows_with_the_lines_of_a_script(name: str) -> None:
    """The same for scripts, which hang their members on objects from outside."""
    assert grows_with_the_lines(SCRIPTS[name], "m.ts")


def test_a_property_of_many_objects_is_found_on_each() -> None:
    """A file that hangs the same property on more objects than anybody writes by hand loses none of them."""
    hung = lines("function F{i}() {{}} F{i}.prototype.m = function () {{}}; F{i}.s = function () {{}};\n", 90)
    used = lines("new F{i}().m(); F{i}.s();\n", 90)
    pushed = "const jobs = [];\n" + lines("const list{i} = []; list{i}.push(F{i});\n", 200) + "list199[0]();\n"
    found = {target.removeprefix("m.js#") for _, target in pairs({"m.js": hung + used + pushed + "function F199() {}"})}
    assert {f"F{i}.{name}" for i in range(90) for name in "ms"} | {"F199"} <= found


GENERATED = {
    "m.py": "class P:\n" + lines("    def r{i}(self): return (a := self.r{k}()) or self.r{i}(a)\n", 300),
    "m.js": "class P {\n" + lines("  r{i}() {{ return this.r{k}() || this.r{i}() }}\n", 300) + "}\n",
    "n.py": lines("class C{i}:\n    def m(self): return C{k}().m()\n", 300),
    "n.js": lines("class C{i} {{ m() {{ return new C{k}().m() }} }}\n", 300),
}


@pytest.mark.parametrize("path", GENERATED)
def test_a_generated_parser_keeps_its_calls(monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    """What its functions return is not followed for ever; whom each of them calls is found all the same."""
    wanted = pairs({path: GENERATED[path]})
    assert len(wanted) >= 2 * 300 - 10
    monkeypatch.setattr(core, "_MAX_STEPS", 20)
    assert pairs({path: GENERATED[path]}) == wanted


def test_what_is_looked_up_ends_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names and members that lead on and on are followed in step with the size of the file."""
    monkeypatch.setattr(core, "_MAX_STEPS", 0)
    monkeypatch.setattr(core, "_MAX_LOOKUPS", 0)
    assert pairs({"m.py": GENERATED["m.py"]}) == set()
    assert pairs({"m.py": GENERATED["m.py"]}, EdgeKind.CONTAINS)
