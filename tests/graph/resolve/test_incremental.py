"""Resolving again only what a change can reach gives what resolving everything gives."""

from __future__ import annotations

import random

import pytest

from graph.extract.registry import extract
from graph.resolve.interface import interface_digest
from graph.resolve.resolver import Resolved, Resolver
from graph.resolve.signals import signals_of

NAMES = ("alpha", "beta", "gamma")
PATHS = (
    "alpha.py", "beta.py", "pkg/__init__.py", "pkg/alpha.py", "pkg/beta.py", "pkg/sub/__init__.py", "pkg/sub/gamma.py",
    "src/gamma.py", "src/alpha/__init__.py", "tests/test_all.py", "tests/__init__.py", "pkg/sub/alpha.py",
    "conftest.py", "tests/conftest.py",
)  # fmt: skip
IMPORTS = (
    "from {m} import *", "import {m}", "from {m} import {n}", "import {m} as {n}", "from . import {m}",
    "from .{m} import {n}", "from ..{m} import {n}", "from pkg.{m} import {n}", "import pkg.{m}", "from pkg import {m}",
)  # fmt: skip
BODIES = (
    "def {n}():\n    return {m}()",
    "class {n}:\n    def {m}(self):\n        return self.{n}.{m}()\n    def __init__(self, x):\n        self.{n} = x",
    "class {n}({m}):\n    def {n}(self):\n        return super().{m}()",
    "{n} = {m}",
    "{n}()",
    "{m}.{n}()",
    "{m}({n}).{m}()",
    "def {n}(x: {m}) -> {m}:\n    x.{n}()\n    return x",
    "{n} = {{'a': {m}}}\n{n}['a']()",
    "__all__ = ['{n}']",
    "{n} = []\n{n}.append({m})",
    "{n}.append({m})",
    "{n}[0]()",
    "@{m}\ndef {n}({m}):\n    return {m}()",
    "{n} = {{}}\n{n}.update({{'a': {m}}})",
    "def test_{n}({m}):\n    {m}.{n}()",
    "import pytest\n@pytest.fixture\ndef {n}():\n    return {m}()",
    "# a comment about {n}",
    "def {n}({m}):\n    def inner():\n        {m}()\n    return inner",
    "{m}({n})\n{m}.{n}({m})",
    "from typing import TypeVar, Generic\nT = TypeVar('T')\nclass {n}(Generic[T]):\n    def {m}(self) -> T: ...",
    "class {n}({m}['{n}']):\n    pass\n{n}().{m}().{n}()",
    "def {n}({m}):\n    if isinstance({m}, {n}):\n        return {m}.{n}()\n    return {m}",
    "{m} = {n}()\nif not isinstance({m}, {n}):\n    {m}.{n}()",
    "for {n} in {m}():\n    {n}.{m}()",
)


def _text(rng: random.Random) -> bytes:
    forms = [rng.choice(IMPORTS) for _ in range(rng.randint(0, 3))]
    forms += [rng.choice(BODIES) for _ in range(rng.randint(0, 4))]
    lines = [form.format(m=rng.choice(NAMES), n=rng.choice(NAMES)) for form in forms]
    return "\n".join(lines).encode() + b"\n"


class _Source:
    def __init__(self, files: dict[str, bytes]) -> None:
        self.files = files

    def paths(self):
        return sorted(self.files)

    def language(self, path: str) -> str:
        return "python"

    def facts(self, path: str):
        return extract("python", self.files[path])

    def config_text(self, path: str) -> None:
        return None


def _folders(paths) -> set[str]:
    return {"/".join(path.split("/")[:depth]) for path in paths for depth in range(1, path.count("/") + 1)}


def _heard(before: dict[str, bytes], after: dict[str, bytes]) -> set[str]:
    """Return what the change says: paths whose interface changed, signals of those that came and went."""
    stayed = before.keys() & after.keys()
    heard = {
        path
        for path in stayed
        if before[path] != after[path]
        and interface_digest(extract("python", before[path])) != interface_digest(extract("python", after[path]))
    }
    for path in before.keys() ^ after.keys():
        heard.update(signals_of(path, _folders(stayed)))
        if path.endswith("__init__.py"):
            folder = path.removesuffix("__init__.py")
            below = [other for other in stayed if other.startswith(folder)]
            heard.update(signal for other in below for signal in signals_of(other, set()))
            heard.update(below)
    return heard


def _sync(done: dict[str, Resolved], before: dict[str, bytes], after: dict[str, bytes]) -> int:
    heard = _heard(before, after)
    resolver = Resolver(_Source(after))
    again = 0
    for path in before.keys() - after.keys():
        del done[path]
    for path, data in after.items():
        known = done.get(path)
        if known is None or before[path] != data or path in heard or not heard.isdisjoint(known.depends_on):
            done[path] = resolver.resolve(path)
            again += 1
    return again


@pytest.mark.parametrize("seed", range(40))
def test_an_incremental_result_equals_a_cold_one(seed):
    """After every step of a random history each file's result is the one of a fresh resolver."""
    rng = random.Random(seed)  # noqa: S311 - a history that can be replayed
    files: dict[str, bytes] = {}
    done: dict[str, Resolved] = {}
    for _ in range(12):
        after = dict(files)
        for _ in range(rng.randint(1, 2)):
            path = rng.choice(PATHS)
            if path in after and rng.random() < 0.4:
                del after[path]
            else:
                after[path] = _text(rng)
        _sync(done, files, after)
        files = after
        cold = Resolver(_Source(files))
        assert done == {path: cold.resolve(path) for path in files}


def test_the_order_of_files_does_not_matter():
    """A resolver keeps nothing of one file that changes another."""
    rng = random.Random(7)  # noqa: S311 - the same files in every run
    files = {path: _text(rng) for path in PATHS}
    forwards, backwards = Resolver(_Source(files)), Resolver(_Source(files))
    one = {path: forwards.resolve(path) for path in sorted(files)}
    other = {path: backwards.resolve(path) for path in sorted(files, reverse=True)}
    assert one == other


def test_a_comment_wakes_nobody():
    """What only moves lines or speaks to readers leaves the interface as it was."""
    before = {"a.py": b"def f():\n    return 1\n", "b.py": b"from a import f\nf()\n"}
    after = before | {"a.py": b"# why\n\ndef f():\n    '''Doc.'''\n    print(2)\n    return 1\n"}
    done = {path: Resolver(_Source(before)).resolve(path) for path in before}
    assert _sync(done, before, after) == 1


@pytest.mark.parametrize("line", [b"t.append(g)\n", b"t.extend([g])\n", b"t[0] = g\n"])
def test_what_is_put_into_a_table_wakes_those_who_read_it(line):
    """A table that is filled by calls is as visible as one that is written out."""
    before = {"a.py": b"def g(): pass\nt = []\n", "b.py": b"from a import t\nt[0]()\n"}
    after = before | {"a.py": before["a.py"] + line}
    done = {path: Resolver(_Source(before)).resolve(path) for path in before}
    assert _sync(done, before, after) == 2
    assert any(edge.dst.endswith("#g") for edge in done["b.py"].edges)


def test_a_changed_return_wakes_those_who_use_it():
    """The importer depends on what it read."""
    before = {
        "a.py": b"def g(): pass\ndef f():\n    return None\n",
        "b.py": b"from a import f\nf()()\n",
        "c.py": b"x = 1\n",
    }
    after = before | {"a.py": b"def g(): pass\ndef f():\n    return g\n"}
    done = {path: Resolver(_Source(before)).resolve(path) for path in before}
    assert _sync(done, before, after) == 2
    assert any(edge.dst.endswith("#g") for edge in done["b.py"].edges)
