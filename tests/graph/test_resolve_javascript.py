"""Calls of JavaScript and TypeScript, from small repositories held in memory."""

from __future__ import annotations

import json

import pytest

from graph.model import Edge, EdgeKind
from graph.resolve.resolver import Resolver
from tests.memory import MemorySource, resolved


def edges(texts: dict[str, str]) -> list[Edge]:
    return [edge for item in resolved(texts).values() for edge in item.edges]


def short(key: str) -> str:
    return key.split("#", 1)[1] if "#" in key else key.split(":", 1)[1]


def calls(texts: dict[str, str] | str, path: str = "a.ts") -> set[tuple[str, str]]:
    files = {path: texts} if isinstance(texts, str) else texts
    return {(short(edge.src), short(edge.dst)) for edge in edges(files) if edge.kind is EdgeKind.CALLS}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("function f() {} function g() { f() }", {("g", "f")}),
        ("const f = () => 1; f()", {("a.js", "f")}),
        ("function f() {} const g = f; g()", {("a.js", "f")}),
        ("function f() { return g } function g() {} f()()", {("a.js", "f"), ("a.js", "g")}),
        ("function f(cb) { cb() } function g() {} f(g)", {("a.js", "f"), ("f", "g")}),
        ("const o = { m() { this.n() }, n() {} }; o.m()", {("o.m", "o.n"), ("a.js", "o.m")}),
        ("const t = { a() {}, b() {} }; t[k]()", {("a.js", "t.a"), ("a.js", "t.b")}),
        ("const t = { a() {}, b() {} }; t['b']()", {("a.js", "t.b")}),
        ("const { m } = { m() {} }; m()", {("a.js", "m")}),
        ("const [, f] = [1, function g() {}]; f()", {("a.js", "g")}),
        ("function f() {} for (const g of [f]) g()", {("a.js", "f")}),
        ("const xs = []; function f() {} xs.push(f); for (const g of xs) g()", {("a.js", "f")}),
        ("const m = new Map(); function f() {} m.set('k', f); m.get('k')()", {("a.js", "f")}),
        ("function f() {} f.call(null); f.apply(null, []); f.bind(null)()", {("a.js", "f")}),
        ("function f(x = g) { x() } function g() {} f()", {("a.js", "f"), ("f", "g")}),
        ("let f; if (x) f = g; else f = h; function g() {} function h() {} f()", {("a.js", "g"), ("a.js", "h")}),
        ("class A { m() {} } new A().m()", {("a.js", "A"), ("a.js", "A.m")}),
        ("class A { m() { return this } n() {} } new A().m().n()", {("a.js", "A"), ("a.js", "A.m"), ("a.js", "A.n")}),
        ("class A { constructor() { this.b = new B() } m() { this.b.m() } } class B { m() {} }",
         {("A.constructor", "B"), ("A.m", "B.m")}),
        ("class A { static s() {} static t() { this.s() } }", {("A.t", "A.s")}),
        ("class A { m() {} } class B extends A { m() { super.m() } }", {("B.m", "A.m")}),
        ("class A { constructor() {} } class B extends A { constructor() { super() } }",
         {("B.constructor", "A"), ("B.constructor", "A.constructor")}),
        ("class A { #p() {} m() { this.#p() } }", {("A.m", "A.#p")}),
        ("class A { m() { const f = () => this.n(); f() } n() {} }", {("A.m.f", "A.n"), ("A.m", "A.m.f")}),
        ("class A { h = () => this.n(); n() {} }", {("A.h", "A.n")}),
        ("class A { m() { [1].map(() => this.n()) } n() {} }", {("A.m", "A.n")}),
        ("function A() { this.m = function () {} } new A().m()", {("a.js", "A"), ("a.js", "A.m")}),
        ("function A() {} A.prototype.m = function () {}; new A().m()", {("a.js", "A"), ("a.js", "A.m")}),
        ("function A() {} A.prototype = { m() { this.n() }, n() {} }; new A().m()",
         {("a.js", "A"), ("a.js", "A.m"), ("A.m", "A.n")}),
        ("function A() {} A.s = function () {}; A.s()", {("a.js", "A.s")}),
        ("function A(){} A.prototype = {m() {}}; function B() {} B.prototype = Object.create(A.prototype); new B().m()",
         {("a.js", "B"), ("a.js", "A.m")}),
        ("const res = Object.create(proto); res.a = function () { this.b() }; res.b = function () {}",
         {("res.a", "res.b")}),
        ("const o = {}; Object.assign(o, { m() {} }); o.m()", {("a.js", "m")}),
        ("const base = { m() {} }; const o = { ...base, n: 1 }; o.m()", {("a.js", "base.m")}),
        ("const app = {}; app.go = function () { this.run() }; app.run = function () {}; app.go()",
         {("app.go", "app.run"), ("a.js", "app.go")}),
        ("class A { get x() { return new B() } } class B { m() {} } new A().x.m()",
         {("a.js", "A"), ("A.x", "B"), ("a.js", "B.m")}),
        ("class A {} const B = class extends A { m() {} }; new B().m()", {("a.js", "B"), ("a.js", "B.m")}),
        ("async function f() { return new A() } class A { m() {} } async function g() { (await f()).m() }",
         {("f", "A"), ("g", "f"), ("g", "A.m")}),
        ("function f() { return Promise.resolve(new A()) } class A { m() {} } f().then(a => a.m())",
         {("f", "A"), ("a.js", "f"), ("a.js", "A.m")}),
        ("class A { m() {} } [new A()].forEach(a => a.m())", {("a.js", "A"), ("a.js", "A.m")}),
        ("class A { m() {} } [1].map(() => new A()).filter(Boolean).find(x => x).m()",
         {("a.js", "A"), ("a.js", "A.m")}),
        ("const q2 = { m() { super.n() } }; const q1 = { n() {} }; Object.setPrototypeOf(q2, q1)", {("q2.m", "q1.n")}),
        ("const o = {}; Object.defineProperty(o, 'f', { value: function () {} }); o.f()", {("a.js", "value")}),
        ("const o = {}; Object.defineProperty(o, 'f', { value: function run() {} }); o.f()", {("a.js", "run")}),
        ("const o = Object.create(null, { f: { value: function run() {} } }); o.f()", {("a.js", "run")}),
        ("const o = {}; Object.setPrototypeOf(o, { set f(v) {} }); o.f = 1", {("a.js", "f")}),
        (
            (
                "function A() {} _createClass(A, [{ key: 'm', value: function m() { this.n() } }, "
                "{ key: 'n', value: function n() {} }], [{ key: 's', value: function s() {} }]); new A().m(); A.s()"
            ),
            {("a.js", "A"), ("a.js", "m"), ("m", "n"), ("a.js", "s")},
        ),
        ("function f() {} exports.f = f; exports.f()", {("a.js", "f")}),
    ],
)  # fmt: skip
def test_calls_in_one_script(source: str, expected: set[tuple[str, str]]) -> None:
    """Scope, values that flow, receivers, prototypes, containers and callbacks."""
    assert calls(source, "a.js") == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("class A { m() {} } function f(a: A) { a.m() }", {("f", "A.m")}),
        ("class A { m() {} } function f(a?: A | null) { a?.m() }", {("f", "A.m")}),
        ("class A { m() {} } function f(a: A[]) { a.map(x => x.m()) }", {("f", "A.m")}),
        ("class A { m() {} } class B { constructor(private a: A) {} n() { this.a.m() } }", {("B.n", "A.m")}),
        ("interface I { m(): void } class A implements I { m() {} } function f(i: I) { i.m() }", {("f", "I.m")}),
        ("interface I { b: B } class B { m() {} } function f(i: I) { i.b.m() }", {("f", "B.m")}),
        ("type T = { b: B }; class B { m() {} } function f({ b }: T) { b.m() }", {("f", "B.m")}),
        ("type H = (a: A) => void; class A { m() {} } const h: H = (a) => { a.m() }", {("h", "A.m")}),
        ("type H = (a: A) => void; class A { m() {} } function on(h: H) {} on((a) => a.m())",
         {("a.ts", "on"), ("a.ts", "A.m")}),
        ("type H = (a: A) => void; class A { m() {} } function f(): H { return function h(a) { a.m() } }",
         {("f.h", "A.m")}),
        ("class A { m() {} } declare function g(): Promise<A>; async function f() { (await g()).m() }",
         {("f", "g"), ("f", "A.m")}),
        ("class A { m() {} } function f<T extends A>(t: T) { t.m() }", {("f", "A.m")}),
        ("class A { m() {} } const m: Map<string, A> = new Map(); m.get('k')!.m()", {("a.ts", "A.m")}),
        ("class A { m() {} } function f(x: unknown) { (x as A).m() }", {("f", "A.m")}),
        ("class A { m() {} } class B { m() {} } function f(x: A | B) { if (x instanceof A) { x.m() } }",
         {("f", "A.m")}),
        ("class A { static s() {} } function f(c: typeof A) { c.s() }", {("f", "A.s")}),
        ("namespace N { export function f() {} } N.f()", {("a.ts", "N.f")}),
        ("class A { m(a: string): void; m(a: any) {} } new A().m(1)", {("a.ts", "A"), ("a.ts", "A.m~2")}),
        ("interface F { (a: string): A } class A { m() {} } declare const f: F; f('').m()", {("a.ts", "A.m")}),
        ("class A { m() {} } interface B extends A {} function f(b: B) { b.m() }", {("f", "A.m")}),
        ("function D() {} @D() class A {}", {("a.ts", "D")}),
        ("class A { m(): this { return this } n() {} } class B extends A {} new B().m().n()",
         {("a.ts", "B"), ("a.ts", "A.m"), ("a.ts", "A.n")}),
    ],
)  # fmt: skip
def test_calls_through_types(source: str, expected: set[tuple[str, str]]) -> None:
    """Annotations, interfaces, aliases, contextual parameters, generics by their bounds, casts."""
    assert calls(source, "a.ts") == expected


def test_jsx_components_are_called() -> None:
    """Function and class components; host elements are not."""
    source = "const Page = () => <p/>; class Box {} const App = () => <Page><Box/></Page>"
    assert calls(source, "a.tsx") == {("App", "Page"), ("App", "Box")}


@pytest.mark.parametrize(
    ("importing", "exporting"),
    [
        ("import { f } from './b'; f()", "export function f() {}"),
        ("import { f as g } from './b'; g()", "export function f() {}"),
        ("import g from './b'; g()", "export default function f() {}"),
        ("import g from './b'; g()", "function f() {}\nexport default f"),
        ("import g from './b'; g()", "function f() {}\nexport { f as default }"),
        ("import * as b from './b'; b.f()", "export const f = () => 1"),
        ("import { h } from './b'; h()", "function f() {}\nexport { f as h }"),
        ("import { o } from './b'; o.g()", "function f() {}\nexport const o = { g: f }"),
        ("const { f } = require('./b'); f()", "exports.f = function () {}"),
        ("const b = require('./b'); b.f()", "function f() {}\nmodule.exports = { f }"),
        ("const f = require('./b').f; f()", "module.exports.f = () => 1"),
        ("require('./b')()", "module.exports = function f() {}"),
        ("const f = require('./b'); f()", "module.exports = f\nfunction f() {}"),
        ("import f from './b'; f()", "module.exports = function f() {}"),
        ("import b from './b'; b.f()", "module.exports = { f() {} }"),
        ("import('./b').then(b => b.f())", "export function f() {}"),
        ("async function main() { const { f } = await import('./b'); f() }", "export function f() {}"),
    ],
)
def test_calls_across_files(importing: str, exporting: str) -> None:
    """ES modules and CommonJS, in every combination that runtimes allow."""
    found = calls({"a.js": importing, "b.js": exporting})
    assert {target.split(".")[-1] for _, target in found} == {"f"}


def test_a_name_behind_many_reexports_is_found_where_it_is_defined() -> None:
    """Barrels, renames, `export *`, a namespace, and a cycle among them."""
    files = {
        "a.ts": "import { g, ns } from './index'; g(); ns.h()",
        "index.ts": "export * from './loop'\nexport * from './middle'\nexport * as ns from './deep'",
        "loop.ts": "export * from './index'",
        "middle.ts": "export { f as g } from './deep'",
        "deep.ts": "export function f() {}\nexport function h() {}",
    }
    assert calls(files) == {("a.ts", "f"), ("a.ts", "h")}


def test_types_come_through_imports() -> None:
    """Type-only imports, re-exported types, namespaces, and the types of doc comments."""
    files = {
        "a.ts": "import type { A } from './index'; import * as ns from './b'\n"
        "function f(a: A) { a.m() }\nfunction g(a: ns.A) { a.m() }",
        "index.ts": "export type { A } from './b'",
        "b.ts": "export class A { m() {} }",
        "c.js": "/** @typedef {import('./b').A} Alias */\n/** @param {Alias} a */\nfunction h(a) { a.m() }",
        "d.js": "/** @param {import('./b').A[]} xs */\nfunction k(xs) { xs.forEach(x => x.m()) }",
    }
    assert calls(files) == {("f", "A.m"), ("g", "A.m"), ("h", "A.m"), ("k", "A.m")}


def test_workspaces_and_path_aliases_lead_to_files() -> None:
    """Configuration decides what a bare name means."""
    files = {
        "package.json": json.dumps({"workspaces": ["p/*"]}),
        "tsconfig.json": json.dumps({"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}),
        "p/core/package.json": json.dumps({"name": "core", "exports": "./dist/index.js"}),
        "p/core/src/index.ts": "export function f() {}",
        "src/a.ts": "import { f } from 'core'; import { g } from '@/b'; f(); g()",
        "src/b.ts": "export function g() {}",
    }
    assert calls(files) == {("src/a.ts", "f"), ("src/a.ts", "g")}


# -- what users of other graphs complain about ----------------------------------------------------------------------


def test_a_call_is_not_bound_to_just_any_symbol_of_its_name() -> None:
    """Complaint 1: `other.render()` is none of the two known `render`s."""
    files = {
        "a.ts": "import { other } from 'elsewhere'; export function main() { other.render() }",
        "b.ts": "export function render() {}\nexport class View { render() {} }",
    }
    assert calls(files) == set()


def test_a_chained_receiver_is_followed() -> None:
    """Complaint 2: `a.b().c()`."""
    source = "class A { b() { return new C() } } class C { c() {} } const a = new A(); a.b().c()"
    assert ("a.ts", "C.c") in calls(source)


def test_a_field_of_the_same_method_name_gives_no_self_edge() -> None:
    """Complaint 3: `this.field.m()` inside `m`."""
    source = "class A { private f = new B(); m() { this.f.m() } } class B { m() {} }"
    assert {edge for edge in calls(source) if edge[0] == "A.m"} == {("A.m", "B.m")}
    assert calls("class A { f: any; m() { this.f.m() } }") == set()


def test_a_plainly_imported_function_has_its_caller() -> None:
    """Complaint 4."""
    files = {"a.ts": "import { f } from './b'\nexport function g() { f() }", "b.ts": "export function f() {}"}
    assert calls(files) == {("g", "f")}


def test_functions_that_are_only_passed_on_are_referred_to() -> None:
    """Complaint 5: callbacks, decorators and values are not dead code."""
    source = "function f() {} function d() {} function g() {}\nregister(f); @d class A {}\nexport const table = { g }"
    found = {(short(e.src), short(e.dst)) for e in edges({"a.ts": source}) if e.kind is EdgeKind.REFERENCES}
    assert {("a.ts", "f"), ("a.ts", "d"), ("a.ts", "g")} <= found


def test_calls_in_anonymous_callbacks_belong_to_the_nearest_name() -> None:
    """Complaint 6: also two levels deep, and at the top level to the file."""
    source = "function f() {}\nexport function g() { on(() => { later(function () { f() }) }) }\non(() => f())"
    assert calls(source) == {("g", "f"), ("a.ts", "f")}


def test_the_order_of_files_does_not_matter() -> None:
    """The result of one file is a pure function of what it depends on."""
    texts = {
        "a.ts": "import { B } from './b'; export class A { m(b: B) { b.n(this) } }",
        "b.ts": "import { A } from './a'; export class B { n(a: A) { a.m(this) } }",
    }
    source = MemorySource(texts)
    forwards, backwards = Resolver(source), Resolver(source)
    first = [forwards.resolve(path) for path in ("a.ts", "b.ts")]
    second = [backwards.resolve(path) for path in ("b.ts", "a.ts")]
    assert first == second[::-1]


def test_a_file_depends_on_what_it_read_and_on_what_it_missed() -> None:
    """So that a file that turns up later resolves the import."""
    depends = Resolver(MemorySource({"src/a.ts": "import { f } from './gone'; f()"})).resolve("src/a.ts").depends_on
    assert "?src.gone" in depends


@pytest.mark.parametrize(
    "source",
    [
        "class A extends A {} new A().m()",
        "class A extends B {} class B extends A { m() {} } new A().m()",
        "const a = b, b = a; a()",
        "function f() { return f() } f()()",
        "const o = { ...o, m: o.m }; o.m()",
        "const a = {}, b = {}; Object.setPrototypeOf(a, b); Object.setPrototypeOf(b, a); a.m()",
        "const a = { ...b }, b = { ...a }; a.m()",
        "const a = Object.create(b), b = Object.create(a); a.m()",
        "class A {} Object.assign(A.prototype, new A()); new A().m()",
        "const o0 = {};" + "".join(f"const o{i} = {{ ...o{i - 1} }};" for i in range(1, 300)) + "o299.m()",
        "export function f0() {}" + "".join(f"const f{i} = f{i - 1};" for i in range(1, 300)) + "f299()",
        "export * from './a'; import { x } from './a'; x()",
        "A.prototype = A; function A() {} new A().m()",
        "module.exports = require('./a'); module.exports()",
    ],
)
def test_cycles_end(source: str) -> None:
    """Inheritance, values, exports and prototypes that lead back to themselves."""
    Resolver(MemorySource({"a.ts": source})).resolve("a.ts")
    Resolver(MemorySource({"a.js": source})).resolve("a.js")
