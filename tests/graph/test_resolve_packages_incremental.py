"""Go, Rust and JavaScript: resolving again only what a change can reach gives what resolving everything gives.

Packages and crates are many files, so a file depends on more than what it names: files that could define a name,
manifests that could say where a path leads, parents that could declare a module.
"""

from __future__ import annotations

import random

import pytest

from graph.extract.registry import extract
from graph.languages import language_of
from graph.resolve.interface import interface_digest
from graph.resolve.resolver import Resolved, Resolver
from graph.resolve.signals import signals_of
from tests.memory import MemorySource

NAMES = ("Alpha", "Beta", "gamma")

GO_PATHS = ("main.go", "other.go", "alpha/a.go", "alpha/b.go", "alpha/a_test.go", "sub/gamma/c.go", "sub/main.go")
GO_FORMS = (
    'import "ex.com/m/alpha"',
    'import "ex.com/m/sub/gamma"',
    'import gamma "ex.com/sub/gamma"',
    'import . "ex.com/m/alpha"',
    "func {n}() {{ {m}(); alpha.{m}() }}",
    "type {n} struct {{ {m} }}",
    "func (x *{n}) {m}() {{ x.{n}(); x.{m}.{n}() }}",
    "type {n} interface {{ {m}() }}",
    "type {n} = gamma.{m}",
    "type {n} []{m}",
    "var {n} = {m}()",
    "func {n}(x {m}) {m} {{ x.{n}(); return x }}",
    "func use{n}(xs []alpha.{m}) {{ for _, x := range xs {{ x.{n}() }}; gamma.{m}().{n}() }}",
)
GO_MODS = ("module ex.com/m\n", "module ex.com/sub\n", "module ex.com/m\nreplace ex.com/sub => ./sub\n")

RUST_PATHS = (
    "src/lib.rs", "src/main.rs", "src/alpha.rs", "src/alpha/mod.rs", "src/alpha/gamma.rs", "src/gamma.rs",
    "dep/src/lib.rs", "dep/src/alpha.rs", "tests/gamma.rs", "tests/alpha/mod.rs",
)  # fmt: skip
RUST_FORMS = (
    "mod alpha;",
    "pub mod gamma;",
    '#[path = "gamma.rs"] mod alpha;',
    "use crate::alpha::{m} as {n};",
    "pub use super::gamma::*;",
    "use alpha::{{self, gamma}};",
    "use dep::alpha::{n};",
    "use app::{n};",
    "fn {n}() {{ {m}(); alpha::{m}(); crate::gamma::{n}(); super::{m}(); }}",
    "pub struct {n} {{ x: {m} }}",
    "impl {n} {{ pub fn {m}(&self) -> {m} {{ self.x.{n}() }} }}",
    "impl crate::{n} {{ pub fn {m}() -> Self {{ Self::{n}() }} }}",
    "pub trait {n}: {m} {{ fn {m}(&self) {{ self.{n}() }} }}",
    "impl {n} for {m} {{ fn {n}(&self) {{}} }}",
    "fn g(x: {n}) {{\nx.{m}();\n{n}::{m}().{n}();\n{n}!(1)\n}}",
    "mod inner {{ use super::*; pub fn {n}() {{ {m}() }} }}",
    "macro_rules! {n} {{ () => {{}} }}",
    "pub enum {n} {{ {m}({m}), Other }}",
)
CARGOS = (
    '[package]\nname = "app"\n',
    '[package]\nname = "app"\n[dependencies]\ndep = {{ path = "dep" }}\n'.replace("{{", "{").replace("}}", "}"),
    '[package]\nname = "dep"\n',
    "[workspace]\n",
)

SCRIPT_PATHS = ("main.js", "alpha.js", "alpha/index.js", "gamma.mjs", "sub/alpha.js", "sub/gamma.js", "sub/main.js")
SCRIPT_FORMS = (
    "const {n} = require('./alpha')",
    "const {{ {n}, {m}: other }} = require('alpha')",
    "import {n}, {{ {m} as Other }} from 'gamma'",
    "import * as {n} from '../gamma.mjs'",
    "export * from './alpha'",
    "export {{ {m} as {n} }} from 'alpha'",
    "export function {n}(x) {{ return x || {m} }}",
    "export default class {n} extends {m} {{ set {m}(x) {{ this.{n} = x }} get {n}() {{ return {m} }} }}",
    "module.exports = {{ {n}, ...require('./gamma'), {m}() {{ this.{n}() }} }}",
    "Object.assign(exports, require('alpha'))",
    "Object.defineProperty(exports, '{n}', {{ get: function () {{ return {m}.{n} }} }})",
    "define(['./alpha', 'gamma'], function ({n}, {m}) {{ {n}.{m}(); return {{ {n}: {m} }} }})",
    "(function (root, make) {{ module.exports = make() }})(this, function () {{ return {{ {n}() {{ {m}() }} }} }})",
    "let {n}; function {m}(x) {{ {n} = x; x.{n}() }}",
    "{n}.{m} = {m}; {n}.{m}(...[{n}, {m}])",
    "new {n}({m}).{m}(); {n}.{m}.call({m}, {n})",
    "for (const x of new {n}()) x.{m}()",
    "Object.setPrototypeOf({n}, {m}); {n}.{m}()",
)
PACKAGES = (
    '{"name": "app"}',
    '{"name": "alpha", "main": "./sub/alpha.js"}',
    '{"dependencies": {"alpha": "1"}}',
    '{"dependencies": {"gamma": "file:./sub"}}',
)


def go_text(rng: random.Random, path: str) -> str:
    clause = rng.choice(("alpha", "alpha", "alpha_test", "gamma")) if "/" in path else "main"
    imports = rng.sample([form for form in GO_FORMS if form.startswith("import")], rng.randint(0, 2))
    rest = [form for form in GO_FORMS if not form.startswith("import")]
    chosen = [*imports, *(rng.choice(rest) for _ in range(rng.randint(0, 3)))]
    lines = [form.format(n=rng.choice(NAMES), m=rng.choice(NAMES)) for form in chosen]
    return "\n".join([f"package {clause}", *lines]) + "\n"


def rust_text(rng: random.Random, _path: str) -> str:
    chosen = [rng.choice(RUST_FORMS) for _ in range(rng.randint(0, 5))]
    return "\n".join(form.format(n=rng.choice(NAMES), m=rng.choice(NAMES)) for form in chosen) + "\n"


def script_text(rng: random.Random, _path: str) -> str:
    chosen = [rng.choice(SCRIPT_FORMS) for _ in range(rng.randint(0, 5))]
    return "\n".join(form.format(n=rng.choice(NAMES), m=rng.choice(NAMES)) for form in chosen) + "\n"


LANGUAGES = {
    "go": (GO_PATHS, go_text, ("go.mod", "sub/go.mod"), GO_MODS),
    "rust": (RUST_PATHS, rust_text, ("Cargo.toml", "dep/Cargo.toml"), CARGOS),
    "javascript": (SCRIPT_PATHS, script_text, ("package.json", "sub/package.json"), PACKAGES),
}


def folders(paths: set[str]) -> set[str]:
    return {"/".join(path.split("/")[:depth]) for path in paths for depth in range(1, path.count("/") + 1)}


def digest(path: str, text: str) -> str:
    language = language_of(path)
    return interface_digest(extract(language, text.encode())) if language is not None else text


def heard(before: dict[str, str], after: dict[str, str]) -> set[str]:
    """Return what the change says: paths that others see changed, signals of those that came and went."""
    stayed = before.keys() & after.keys()
    found = {
        path
        for path in stayed
        if before[path] != after[path] and digest(path, before[path]) != digest(path, after[path])
    }
    for path in before.keys() ^ after.keys():
        alike = {other for other in stayed if language_of(other) == language_of(path)}
        found.update(signals_of(path, folders(alike)))
    return found


def sync(done: dict[str, Resolved], before: dict[str, str], after: dict[str, str]) -> None:
    changed = heard(before, after)
    resolver = Resolver(MemorySource(after))
    for path in before.keys() - after.keys():
        done.pop(path, None)
    for path in MemorySource(after).paths():
        known = done.get(path)
        is_stale = known is None or before[path] != after[path] or path in changed
        if known is None or is_stale or not changed.isdisjoint(known.depends_on):
            done[path] = resolver.resolve(path)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("seed", [*range(12), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(12, 200))])
def test_an_incremental_result_equals_a_cold_one(language: str, seed: int) -> None:
    """After every step of a random history each file's edges are those of a fresh resolver."""
    rng = random.Random(f"{language} {seed}")  # noqa: S311 - a history that can be replayed
    paths, write, manifests, manifest_texts = LANGUAGES[language]
    files: dict[str, str] = {}
    done: dict[str, Resolved] = {}
    for step in range(14):
        after = dict(files)
        for _ in range(6 if step == 0 else rng.randint(1, 2)):
            is_manifest = rng.random() < 0.2
            path = rng.choice(manifests if is_manifest else paths)
            if path in after and rng.random() < 0.3:
                del after[path]
            else:
                after[path] = rng.choice(manifest_texts) if is_manifest else write(rng, path)
        sync(done, files, after)
        files = after
        cold = Resolver(MemorySource(files))
        wanted = {path: cold.resolve(path) for path in MemorySource(files).paths()}
        assert {path: item.edges for path, item in done.items()} == {path: item.edges for path, item in wanted.items()}
        assert done == wanted


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_order_of_files_does_not_matter(language: str) -> None:
    """A resolver keeps nothing of one file that changes another."""
    rng = random.Random(11)  # noqa: S311 - the same files in every run
    paths, write, (manifest, *_), texts = LANGUAGES[language]
    files = {path: write(rng, path) for path in paths} | {manifest: texts[1]}
    forwards, backwards = Resolver(MemorySource(files)), Resolver(MemorySource(files))
    one = {path: forwards.resolve(path) for path in sorted(paths)}
    other = {path: backwards.resolve(path) for path in sorted(paths, reverse=True)}
    assert one == other
