"""Resolving again only what a change can reach gives what resolving everything gives."""

from __future__ import annotations

import random

import pytest

from graph.extract.registry import extract
from graph.resolve.asked import asks_for
from graph.resolve.interface import interface_of
from graph.resolve.interface_parts import changed_names
from graph.resolve.resolver import Resolved, Resolver
from graph.resolve.signals import signals_of

NAMES = ("alpha", "beta", "gamma")
PATHS = (
    "alpha.py", "beta.py", "pkg/__init__.py", "pkg/alpha.py", "pkg/beta.py", "pkg/sub/__init__.py", "pkg/sub/gamma.py",
    "src/gamma.py", "src/alpha/__init__.py", "tests/test_all.py", "tests/__init__.py", "pkg/sub/alpha.py",
    "conftest.py", "tests/conftest.py", "one/alpha/beta.py", "typings/beta.pyi",
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
    "class {n}({m}):\n    {m}: {n}\n    def {n}(self, {m}):\n        self.{m} = {m}()\n        return self.{n}",
    "if isinstance({n}, {m}):\n    {n}.{m}()",
    "def {n}():\n    def {m}():\n        nonlocal_ = {n}\n        return nonlocal_()\n    return {m}",
    "{n} = lambda: {m}.{n}()",
    "{n} = [{m} for {n} in {m}]\n{n}[0].{m}()",
    "{m}.{n} = {n}",
    "def {n}():\n    global {m}\n    {m} = {n}",
    "{n}, {m} = {m}, {n}",
    "class {n}:\n    {m} = {n}\n    @property\n    def {n}(self):\n        return self.{m}",
    "with {m}() as {n}:\n    {n}.{m}()",
    "def __getattr__(name):\n    from .{m} import {n}\n    return {n}",
    "import importlib\nimportlib.import_module('{m}.{n}').{m}()",
    "def {n}():\n    def {m}():\n        nonlocal {n}\n        {n} = {m}\n    {n} = {m}\n    return {n}()",
    "class {n}({m}):\n    {m} = {n}\n    def {n}(self):\n        return self.{m}()",
    "from {m}.{n} import {n}\n{n}.{m}()",
    "for i, ({n}, {m}) in enumerate(zip({m}, {n}())):\n    {n}.{m}()\n    {m}()",
    "class {n}(metaclass={m}):\n    pass\n{n}.{m}()",
    "{n} = {{**{m}, 'a': {n}}}\n{n}['a']()\nfor x in {n}.values(): x.{m}()",
    "{n} = dict({m}={n}, x={m})\n{n}['x'].{n}()",
)

USES = (
    "{n}.{m}()", "{n}().{m}()", "{n}[0]()", "{n}.{m}.{n}()", "{n}()()", "x = {n}()\nx.{m}()", "for x in {n}: x.{m}()",
    "class Own({n}):\n    def go(self):\n        self.{m}()\n        return self.{n}()",
)  # fmt: skip


def _filled(form: str, rng: random.Random) -> str:
    return form.format(m=rng.choice(NAMES), n=rng.choice(NAMES))


def _text(rng: random.Random) -> bytes:
    forms = [rng.choice(IMPORTS) for _ in range(rng.randint(0, 3))]
    forms += [rng.choice(BODIES) for _ in range(rng.randint(0, 4))]
    return "\n\n".join(_filled(form, rng) for form in forms).encode() + b"\n"


def _edited(text: bytes, rng: random.Random) -> bytes:
    """Return a file with one thing put in, taken out, moved, renamed or put in the place of another."""
    forms = text.decode().rstrip("\n").split("\n\n")
    place = rng.randrange(len(forms))
    form = _filled(rng.choice(IMPORTS if rng.random() < 0.2 else BODIES), rng)
    match rng.randrange(5):
        case 0:
            forms.insert(place, form)
        case 1:
            del forms[place]
        case 2:
            forms.insert(rng.randrange(len(forms)), forms.pop(place))
        case 3:
            forms[place] = forms[place].replace(rng.choice(NAMES), rng.choice(NAMES))
        case _:
            forms[place] = form
    return "\n\n".join(forms).encode() + b"\n"


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


def _heard(before: dict[str, bytes], after: dict[str, bytes]) -> tuple[set[str], dict[str, frozenset[int] | None]]:
    """Return what the change says: signals of paths that came and went, and the names that changed by path."""
    stayed = before.keys() & after.keys()
    altered: dict[str, frozenset[int] | None] = {}
    for path in stayed:
        old, new = (interface_of(extract("python", files[path])) for files in (before, after))
        if old.digest != new.digest:
            altered[path] = changed_names(path, old.parts, new.parts)
    heard: set[str] = set()
    for path in before.keys() ^ after.keys():
        heard.update(signals_of(path, _folders(stayed)))
        if path.endswith("__init__.py"):
            folder = path.removesuffix("__init__.py")
            below = [other for other in stayed if other.startswith(folder)]
            heard.update(signal for other in below for signal in signals_of(other, set()))
            heard.update(below)
    return heard, altered


def _sync(done: dict[str, Resolved], before: dict[str, bytes], after: dict[str, bytes]) -> int:
    heard, altered = _heard(before, after)
    resolver = Resolver(_Source(after))
    again = 0
    for path in before.keys() - after.keys():
        del done[path]
    for path, data in after.items():
        known = done.get(path)
        if (
            known is None
            or before[path] != data
            or path in heard
            or not heard.isdisjoint(known.depends_on)
            or any(_matters(names, known.asked) for other, names in altered.items() if other in known.depends_on)
        ):
            done[path] = resolver.resolve(path)
            again += 1
    return again


def _matters(names: frozenset[int] | None, asked: bytes | None) -> bool:
    return names is None or asked is None or asks_for(asked, names)


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
            if path not in after:
                after[path] = _text(rng)
            elif rng.random() < 0.3:
                del after[path]
            else:
                after[path] = _edited(after[path], rng)
        _sync(done, files, after)
        files = after
        cold = Resolver(_Source(files))
        assert done == {path: cold.resolve(path) for path in files}


def _uses(rng: random.Random) -> dict[str, bytes]:
    """Return a module, one that takes names over from it, and one that uses both in every way."""
    through = (
        "from a import *",
        "from a import alpha, beta, gamma",
        "from a import alpha as beta",
        "import a as alpha",
    )
    reached = ("from a import alpha, beta, gamma", "from c import alpha, beta", "from c import *", "import a as alpha")
    parts = {
        "a.py": [rng.choice(BODIES) for _ in range(rng.randint(3, 6))],
        "b.py": [rng.choice(reached), *(rng.choice(BODIES + USES) for _ in range(rng.randint(4, 9)))],
        "c.py": [rng.choice(through), *(rng.choice(BODIES) for _ in range(rng.randint(0, 3)))],
    }
    return {path: "\n\n".join(_filled(form, rng) for form in forms).encode() + b"\n" for path, forms in parts.items()}


@pytest.mark.parametrize("seed", [*range(50, 80), 3208])
def test_an_edit_wakes_whoever_asked_for_what_it_changed(seed):
    """Two files read a third one in every way, which is edited a thing at a time."""
    rng = random.Random(seed)  # noqa: S311 - a history that can be replayed
    files = _uses(rng)
    done: dict[str, Resolved] = {}
    _sync(done, {}, files)
    for _ in range(8):
        path = rng.choice(("a.py", "a.py", "c.py"))
        after = files | {path: _edited(files[path], rng)}
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


WIDE = b"""\
class Base:
    def go(self): return None

class Hub(Base):
    def run(self): return self.go()

def make(): return Hub()
"""


@pytest.mark.parametrize(
    ("old", "new", "woken"),
    [
        (b"def make()", b"def other(): pass\n\n\ndef make()", 1),
        (b"    def run(self)", b"    def other(self): pass\n    def run(self)", 1),
        (b"    def run(self): return", b"    def run(self): print(self); return", 1),
        (b"def make(): return Hub()", b"def make(): return None", 2),
        (b"def run(", b"def start(", 3),
        (b"class Hub(Base)", b"class Hub", 3),
        (b"def make()", b"def make() -> Base", 2),
        (b"def go(self)", b"def go(self, more=None)", 2),
    ],
)
def test_a_change_behind_one_name_wakes_those_who_asked_for_it(old, new, woken):
    """One file makes a hub and uses it, one only names its class, one asks for something else."""
    before = {
        "hub.py": WIDE,
        "user.py": b"from hub import make\nmake().run()\n",
        "child.py": b"from hub import Hub\nclass Child(Hub):\n    def go(self): self.run()\n",
    }
    done = {path: Resolver(_Source(before)).resolve(path) for path in before}
    assert WIDE.count(old) == 1
    assert _sync(done, before, before | {"hub.py": WIDE.replace(old, new)}) == woken


def test_a_definition_and_an_import_of_one_name_may_change_places():
    """The later one is what others see."""
    before = {
        "a.py": b"from b import f\n\ndef f(): pass\n",
        "b.py": b"def f(): pass\n",
        "c.py": b"from a import f\nf()\n",
    }
    after = before | {"a.py": b"def f(): pass\n\nfrom b import f\n"}
    done = {path: Resolver(_Source(before)).resolve(path) for path in before}
    assert _sync(done, before, after) == 2
    assert any(edge.dst.endswith("b.py#f") for edge in done["c.py"].edges)


@pytest.mark.parametrize("kept", [b"", b"\x00", b"\xff\xff"])
def test_what_cannot_be_read_may_have_been_anything(kept):
    """A store of another version, or a damaged one, wakes everybody."""
    parts = interface_of(extract("python", b"def f(): pass\n")).parts
    assert changed_names("a.py", kept, parts) is None
    assert changed_names("a.py", parts, parts) == frozenset()
