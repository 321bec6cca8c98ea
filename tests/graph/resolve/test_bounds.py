"""Sources that are made to be expensive: long chains, wide tables, dense cycles. All end soon and without overflow."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

N = 400


def chain(form: str, end: str) -> str:
    return "".join(form.format(i=i, j=i + 1) for i in range(N)) + end.format(n=N)


SOURCES = {
    "returns": chain("def f{i}():\n    return f{j}()\n", "def f{n}(): return C()\nclass C: pass\nf0().g()\n"),
    "assigned": "def f(): pass\nx0 = f\n" + chain("x{j} = x{i}\n", "x{n}()\n"),
    "bases": "class C0: pass\n" + chain("class C{j}(C{i}): pass\n", "C{n}().g()\n"),
    "bases backwards": chain("class C{i}(C{j}): pass\n", "C0().g()\n"),
    "parameters": chain("def f{i}(a):\n    return f{j}(a)\n", "def f{n}(a): a()\nf0(print)\n"),
    "fields": chain(
        "class C{i}:\n    def __init__(self):\n        self.n = C{j}()\n    def g(self): return self.n.g()\n",
        "C0().g()\n",
    ),
    "rebound": "class A:\n    def g(self): return A()\nx = A()\n" + "x = x.g()\n" * N,
    "stored": "d = {}\n" + chain("d['k{i}'] = f{i}\ndef f{i}(): pass\nd['k{i}']()\n", ""),
    "appended": "l = []\nm = []\ndef f(): pass\n" + "l.append(f)\nm.append(l)\nm[0][1]()\n" * N,
    "mutual": "".join(f"def f{i}(): return [f{i * 7 % 90}(), f{i * 3 % 90}().g(), x{i % 9}.h]\n" for i in range(90))
    + "".join(f"x{i} = f{i}()\n" for i in range(9)),
    "diamonds": "class A0: pass\nclass B0: pass\n"
    + "".join(f"class A{i + 1}(A{i}, B{i}): pass\nclass B{i + 1}(A{i}, B{i}): pass\n" for i in range(50)),
    "nested": "d = " + "{'a':" * 100 + "1" + "}" * 100 + "\nd" + "['a']" * 100 + "()\n",
}


@pytest.mark.parametrize("name", SOURCES)
def test_expensive_sources_end(graph, name):
    """The budget and the depth hold, and there is a result."""
    assert graph({"m.py": SOURCES[name]}).resolved["m.py"].edges


def test_a_table_of_thousands_is_resolved_by_its_keys(graph):
    """Stores are sorted out once, so each key still finds its function."""
    found = graph({"m.py": SOURCES["stored"]})
    assert found.callees("m.py") == {f"m.py#f{i}" for i in range(N)}


REPOSITORIES = {
    "imports in a circle": {
        f"m{i}.py": f"from m{(i + 1) % 60} import *\nfrom m{(i + 7) % 60} import f{(i + 7) % 60}\n"
        f"def f{i}():\n    return f{(i + 7) % 60}()\nmissing{i}()\n"
        for i in range(60)
    },
    "inheritance in a circle": {
        f"m{i}.py": f"from m{(i + 1) % 40} import C{(i + 1) % 40}\nclass C{i}(C{(i + 1) % 40}):\n"
        f"    def g{i}(self):\n        return self.g{(i + 3) % 40}().h()\n"
        for i in range(40)
    },
    "a metaclass that makes everything": {
        "m.py": "class M(type):\n    def __call__(cls, *a): return cls\n    def __getattr__(cls, n): return M\n"
        "    def __new__(m, n, b, d): return type.__new__(m, n, (M, *b), d)\n"
        "class A(metaclass=M): __class__ = M\nclass B(A, M('C', (A,), {})): pass\n"
        "type('D', (B,), {'f': lambda s: s.f()})().f()\nB.x.y.z()\nA()()()\n",
    },
    "one name a thousand times": {
        "m.py": "from typing import TYPE_CHECKING, overload\n"
        + "".join(
            f"if TYPE_CHECKING:\n    def f(): return {i}\nelse:\n    @overload\n    def f(): ...\n" for i in range(500)
        )
        + "f()\n",
    },
    "a generated parser": {
        "m.py": "class P:\n"
        + "".join(
            f"    def r{i}(self):\n        mark = self.mark()\n"
            f"        if (a := self.r{i * 7 % 700}()) and (b := self.r{i * 11 % 700}()):\n"
            f"            return [a, b]\n        return self.r{i * 13 % 700}() or mark\n"
            for i in range(700)
        ),
    },
}


@pytest.mark.parametrize("name", REPOSITORIES)
def test_repositories_made_to_go_in_circles_end_in_time(graph, name):
    """Circles between files, names without end and tricks with types cost little; ten times the need is allowed."""
    started = time.process_time()
    assert graph(REPOSITORIES[name]).resolved
    assert time.process_time() - started < 10


WORDS = st.sampled_from(
    [
        "def f(a=f, *b, **c):\n    return a(f)(*b)", "class A(A, B): x = f", "class B(A):\n    def f(self): self.f.f()",
        "f = f(f)", "x = x.f = f", "A.f = B", "A().f().f()", "for f in f: f()", "with A() as f: f()", "f[f] = f",
        "f.append(f)", "f.update(f)", "from m import *", "import m", "m.m.m()", "f: A = B()", "f: 'f' = f",
        "lambda: f()", "[f() for f in f]", "{f: f}[f]()", "super().f()", "type(f)()", "getattr(f, 'f')()",
        "map(f, f)", "@f\ndef f(): pass", "def g(f: A) -> 'A': return f.f", "g(g)(g)", "isinstance(f, A)",
    ]
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(WORDS, max_size=14))
def test_anything_resolves_to_something(lines):
    """Whatever is written, each edge leads from this file to a key that exists or to the file itself."""
    from graph.extract.nodes import nodes_of
    from graph.extract.registry import extract
    from graph.resolve.resolver import Resolver

    data = "\n".join(lines).encode()
    facts = extract("python", data)

    class One:
        def paths(self):
            return ["m.py"]

        def language(self, path: str) -> str:
            return "python"

        def facts(self, path: str):
            return facts

        def config_text(self, path: str) -> None:
            return None

    keys = {node.key for node in nodes_of("m.py", facts)}
    resolved = Resolver(One()).resolve("m.py")
    assert {end for edge in resolved.edges for end in (edge.src, edge.dst)} <= keys
    assert resolved == Resolver(One()).resolve("m.py")
