"""Calls of TypeScript that only types decide, from small repositories held in memory."""

from __future__ import annotations

import pytest

from graph.model import EdgeKind
from tests.memory import pairs, resolved


def linked(texts: dict[str, str] | str, kind: EdgeKind = EdgeKind.CALLS) -> set[tuple[str, str]]:
    files = {"a.ts": texts} if isinstance(texts, str) else texts
    return {(source.split("#")[-1], target.split("#")[-1]) for source, target in pairs(files, kind)}


HERITAGE = [
    ("interface A { m(): void } interface B extends A {} function f(b: B) { b.m() }", "A.m"),
    ("interface A { m(): void } interface P {} interface B extends P, A {} function f(b: B) { b.m() }", "A.m"),
    ("interface A<T> { m(): void } interface B extends A<string> {} function f(b: B) { b.m() }", "A.m"),
    ("interface A { m(): this; n(): void } interface B extends A { o(): void } function f(b: B) { b.m().o() }", "B.o"),
    (
        "interface A { m(): void } abstract class B implements A { abstract m(): void } function f(b: A) { b.m() }",
        "A.m",
    ),
    ("interface A { m(): void } abstract class B implements A {} function f(b: B) { b.m() }", "A.m"),
    ("class A { n() {} } interface A { m(): void } function f(a: A) { a.m() }", "A.m"),
    ("interface A { n(): void } interface A { m(): void } function f(a: A) { a.m() }", "A.m"),
    ("type O = { m(): void }; interface A extends O {} function f(a: A) { a.m() }", "O.m"),
    ("interface A extends Array<B> {} class B { m() {} } function f(a: A) { for (const b of a) b.m() }", "B.m"),
]


@pytest.mark.parametrize(("source", "expected"), HERITAGE)
def test_a_member_is_found_where_a_type_inherits_it(source: str, expected: str) -> None:
    """Interfaces extend types, classes implement them, and declarations of one name are one type."""
    assert ("f", expected) in linked(source)


def test_an_interface_may_take_over_what_modules_export() -> None:
    """`typeof` a namespace import gives every exported function as a method."""
    files = {
        "a.ts": "import * as parts from './b'\ntype All = typeof parts\nexport class C {}\n"
        "export interface C extends All {}\nfunction f(c: C) { c.m() }",
        "b.ts": "import type { C } from './a'\nexport function m(this: C) { this.n() }\nexport function n() {}",
    }
    assert {("f", "m"), ("m", "n")} <= linked(files)


def test_super_runs_no_interface() -> None:
    """Only a base class has a constructor to run."""
    source = "interface I {} class A {} class B extends A implements I { constructor() { super() } }"
    assert linked(source) == {("B.constructor", "A")}


def test_a_class_is_linked_to_what_it_implements() -> None:
    """`implements` names a type of another file."""
    files = {
        "a.ts": "import { I } from './b'\nclass A implements I { m() {} }",
        "b.ts": "export interface I { m(): void }",
    }
    assert linked(files, EdgeKind.IMPLEMENTS) == {("A", "I")}
    assert linked(files, EdgeKind.OVERRIDES) == {("A.m", "I.m")}


THINGS = """
class User { name() {} }
class Repo<T> { item: T; find(): T { return this.item } all(): T[] { return [] } put(t: T) {} }
class Users extends Repo<User> {}
interface Stream<T> { first(): T; map<U>(f: (t: T) => U): Stream<U>; each(f: (t: T) => void): void }
type Box<T> = { value: T; get(): T; on: (x: T) => void }
type Handler<T> = (x: T) => void
interface Type<T> { new (...rest: any[]): T }
declare function make<T>(): T
declare function build<T>(t: Type<T>): T
declare function mapped<A, B>(xs: A[], f: (a: A) => B): B[]
declare function query<R>(options: { fetch: () => R }): { data: R }
"""

GENERIC = [
    "function f(r: Repo<User>) { r.find().name() }",
    "function f(r: Repo<User>) { r.item.name() }",
    "function f(r: Repo<User>) { for (const u of r.all()) u.name() }",
    "function f(r: Users) { r.find().name() }",
    "class More extends Users { f() { this.item.name() } }",
    "function f() { new Repo<User>().find().name() }",
    "function f(b: Box<User>) { b.value.name() }",
    "function f(b: Box<User>) { b.get().name() }",
    "function f(b: Box<Repo<User>>) { b.value.find().name() }",
    "const f: Handler<User> = (x) => { x.name() }",
    "function f() { make<User>().name() }",
    "function f() { build(User).name() }",
    "function f(us: User[]) { mapped(us, u => u)[0].name() }",
    "function f(u: User) { query({ fetch: () => u }).data.name() }",
    "function f(s: Stream<User>) { s.first().name() }",
    "function f(s: Stream<User>) { s.map(u => u).first().name() }",
    "function f(s: Stream<User>) { s.each(u => u.name()) }",
    "declare function on(o: { f: (u: User) => void }): void; on({ f: u => u.name() })",
    (
        "type Link<T> = (a: string) => (b: string) => (next: (t: T) => User) => void\n"
        "function f(): Link<string> { return (a) => (b) => (next) => { next(a).name() } }"
    ),
    (
        "type Link<T> = (a: string) => (o: { next: Repo<T> }) => void\n"
        "function f(): Link<User> { return () => ({ next }) => { next.find().name() } }"
    ),
    "function f<T extends User>(r: Repo<T>) { r.find().name() }",
    "function f<T extends User>(t: T) { t.name() }",
    "function id<T>(x: T): T { return x } function f(u: User) { id(u).name() }",
    "class Pair<A, B> { left: A; right: B } function f(p: Pair<string, User>) { p.right.name() }",
    "async function f(p: Promise<Repo<User>>) { (await p).find().name() }",
    "function f(m: Map<string, Repo<User>>) { m.get('x').find().name() }",
]


@pytest.mark.parametrize("source", GENERIC)
def test_type_parameters_are_filled_in(source: str) -> None:
    """By type arguments, bases, aliases, and by what a call hands over."""
    callers = [caller for caller, callee in linked(THINGS + source) if callee == "User.name"]
    assert [caller.split(".")[-1] for caller in callers] == ["f"]


@pytest.mark.parametrize(
    "source",
    [
        "type F<T> = F<F<T>>; function f(x: F<string>) { x.m() }",
        "type F<T> = { next: F<F<T>> }; function f(x: F<string>) { x.next.next.next.next.next.next.m() }",
        "class A<T> extends A<A<T>> {} function f(x: A<string>) { x.m() }",
        "interface A<T> extends B<A<T>> {} interface B<T> extends A<B<T>> {} function f(x: A<string>) { x.m() }",
        "function f<T extends T>(x: T) { x.m() }",
        "class A<T extends A<T>> { self: T } function f(x: A<any>) { x.self.self.self.m() }",
    ],
)
def test_types_without_end_end(source: str) -> None:
    """Recursive types are followed to a small depth."""
    assert linked(source) == set()


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("const key = Symbol('k'); const o = { a() {}, [key]() {} }; function f() { o[key]() }", set()),
        ("const o = { a() { this[k]() }, b() {} }", set()),
        ("const o = { a() { this['b']() }, b() {} }", {("o.a", "o.b")}),
        ("const o = { a() {}, b() {} }; function f(k: string) { o[k]() }", {("f", "o.a"), ("f", "o.b")}),
    ],
)
def test_a_key_that_is_no_string_picks_no_other_member(source: str, expected: set[tuple[str, str]]) -> None:
    """A table of functions may give any of them; a symbol names none of the others, and `this` is no table."""
    assert linked(source) - {("a.ts", "Symbol")} == expected


def test_what_call_and_apply_run_has_no_line() -> None:
    """The written call is one of `call`; what it runs is linked like any callback."""
    texts = {"a.ts": "function f() {}\nfunction g() {\n f.call(null)\n f()\n}\nfunction h() { f.apply(null) }"}
    edges = [edge for edge in resolved(texts)["a.ts"].edges if edge.kind is EdgeKind.CALLS]
    assert {(edge.src.split("#")[-1], edge.dst.split("#")[-1], edge.lines) for edge in edges} == {
        ("g", "f", (4,)),
        ("h", "f", ()),
    }


_PETS = "class Dog { bark() {} } class Fox { bark() {} }\n"


@pytest.mark.parametrize(
    "body",
    [
        "if (!(pet instanceof Dog)) return\n pet.bark()",
        "if (!(pet instanceof Dog)) { throw new Error() }\n pet.bark()",
        "if (!(pet instanceof Dog)) return; pet.bark()",
        "if (!pet || !(pet instanceof Dog)) {\n return\n }\n pet.bark()",
        "if (pet instanceof Dog) {\n log()\n } else {\n return\n }\n pet.bark()",
        "if (!(pet instanceof Dog)) {\n log()\n } else {\n pet.bark()\n }",
        "for (;;) {\n if (!(pet instanceof Dog)) continue\n pet.bark()\n }",
    ],
)
def test_behind_a_branch_that_leaves_its_condition_fails(body: str) -> None:
    """Whoever comes behind a guard has passed it."""
    text = f"{_PETS}function walk(pet: Dog | Fox) {{\n {body}\n}}"
    assert {edge for edge in linked(text) if edge[0] == "walk"} == {("walk", "Dog.bark")}


@pytest.mark.parametrize(
    "body",
    [
        "if (!(pet instanceof Dog)) log()\n pet.bark()",
        "if (x) {\n if (!(pet instanceof Dog)) return\n }\n pet.bark()",
        "if (!(pet instanceof Dog) && x) return\n pet.bark()",
    ],
)
def test_a_guard_that_does_not_leave_for_sure_says_nothing(body: str) -> None:
    """Where the condition may have held, the value may still be of either type."""
    text = f"{_PETS}function walk(pet: Dog | Fox, x?: any) {{\n {body}\n}}"
    assert {("walk", "Dog.bark"), ("walk", "Fox.bark")} <= linked(text)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("{ const f = 1\n f() }\n f()", {"f"}),
        ("{ const f = g\n f() }", {"g"}),
        ("{ const f = g }\n f()", {"f"}),
        ("if (x) { let f = g\n f() } else { f() }", {"f", "g"}),
        ("{ class f { static m() {} }\n f.m() }\n f()", {"run.f.m", "f"}),
        ("{ function f() {} }\n f()", {"f"}),
        ("{ const { f } = { f: g }\n x.on(() => f()) }\n f()", {"f", "g"}),
        ("let h = f\n { const f = g\n h = f }\n h()", {"g"}),
        ("{ var h = f\n const x = 1\n }\n x.y\n h()", {"f"}),
        ("{ const f = g\n { f() } }\n f()", {"f", "g"}),
        ("const made = () => { if (x) { const f = g\n return f }\n return f }\n made()()", {"run.made", "f", "g"}),
        ("for (const k of x) { const f = g\n f() }\n f()", {"f", "g"}),
        ("try { const f = g\n f() } catch { f() }", {"f", "g"}),
    ],
)
def test_a_block_keeps_what_it_declares(body: str, expected: set[str]) -> None:
    """What `const`, `let`, `class` and `function` bind in a block is not what the rest of the function means."""
    text = f"function f() {{}} function g() {{}}\nexport function run(x: any) {{\n {body}\n}}"
    assert {target for source, target in linked(text) if source == "run"} == expected


def test_a_block_knows_what_its_function_knows() -> None:
    """Types, type tests, `this` and parameters reach into blocks, and what blocks assign reaches out."""
    text = f"""{_PETS}class Walk {{
 last?: Fox
 go(pet: Dog | Fox, other: any) {{
  let made
  if (pet instanceof Dog) {{
   const own = pet
   own.bark()
   made = new Fox()
   this.last = made
  }}
  const own = other
  own.bark()
  made.bark()
  this.last.bark()
 }}
}}"""
    assert {edge for edge in linked(text) if edge[0] == "Walk.go"} == {
        ("Walk.go", "Dog.bark"),
        ("Walk.go", "Fox.bark"),
        ("Walk.go", "Fox"),
    }


@pytest.mark.parametrize(
    "body",
    [
        "for (const [name, pet] of pets) pet.bark()",
        "pets.forEach(pet => pet.bark())",
        "[...pets.values()].map(pet => pet.bark())",
        "for (const pet of pets.values()) pet.bark()",
        "for (const [, pet] of pets.entries()) { pet.bark() }",
        "Array.from(pets.values()).forEach(pet => pet.bark())",
        "pets.get('a')?.bark()",
        "[...pets].map(([name, pet]) => pet.bark())",
    ],
)
@pytest.mark.parametrize("made", ["new Map<string, Dog>()", "null as any as Map<string, Dog>"])
def test_a_map_gives_its_pairs_and_values(made: str, body: str) -> None:
    """What the type arguments say is what iteration, callbacks and `get` give."""
    assert ("f", "Dog.bark") in linked(f"{_PETS}const pets: Map<string, Dog> = {made}\nfunction f() {{ {body} }}")
    assert ("f", "Dog.bark") in linked(f"{_PETS}const pets = {made}\nfunction f() {{ {body} }}")


def test_a_set_that_is_made_holds_what_its_type_says() -> None:
    """A declared element needs no insertion to be known."""
    assert ("f", "Dog.bark") in linked(
        f"{_PETS}const pets = new Set<Dog>(); function f() {{ for (const p of pets) p.bark() }}"
    )


@pytest.mark.parametrize(
    "source",
    [
        "function f(K: new () => Dog) { new K().bark() }",
        "function f(K: abstract new (name: string) => Dog) { new K('a').bark() }",
        "function f(K: { new (): Dog }) { new K().bark() }",
        "type Made = new () => Dog; function f(K: Made) { new K().bark() }",
        "interface Maker { new (): Dog } function f(K: Maker) { new K().bark() }",
        "function make<T>(K: new () => T): T { return new K() } function f() { make(Dog).bark() }",
        "interface Pets { [name: string]: Dog } function f(pets: Pets) { pets.rex.bark() }",
        "interface Pets { [name: string]: Dog } function f(pets: Pets, k: string) { pets[k].bark(); pets['a'].bark() }",
        "function f(pets: { [name: string]: Dog }, k: string) { pets[k].bark() }",
    ],
)
def test_signatures_of_constructors_and_of_members_tell_what_they_give(source: str) -> None:
    """`new () => T` makes a T, and each member of `{ [key: string]: T }` is one."""
    assert {edge for edge in linked(_PETS + source) if "." in edge[1]} == {("f", "Dog.bark")}


def test_a_declared_member_is_none_of_the_index_signature() -> None:
    """An index signature only speaks of what is not declared by itself."""
    source = "interface Pets { cat: Fox; [name: string]: Dog | Fox } function f(pets: Pets) { pets.cat.bark() }"
    assert linked(_PETS + source) == {("f", "Fox.bark")}


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        ("const Page = memo(() => null)", "Page"),
        ("const Page = forwardRef((props, ref) => null)", "Page"),
        ("export const Page = React.memo(React.forwardRef(function (props, ref) { return null }))", "Page"),
        ("const Page = memo(function Inner() { return null })", "Inner"),
        ("function Plain() { return null } const Page = memo(Plain)", "Plain"),
    ],
)
def test_a_wrapped_component_is_the_function_in_it(declared: str, expected: str) -> None:
    """`memo` and `forwardRef` give a component that runs the function which they get."""
    head = "import React, { memo, forwardRef } from 'react'\n"
    text = f"{head}{declared}\nexport function App() {{ return <div><Page/></div> }}"
    assert {edge for edge in linked({"a.tsx": text}) if edge[0] == "App"} == {("App", expected)}


def test_calls_of_a_wrapped_component_are_its_own() -> None:
    """What the function calls belongs to the component, not to the file."""
    text = "import { memo } from 'react'\nfunction used() {}\nconst Page = memo(() => { used(); return null })"
    assert linked({"a.tsx": text}) == {("Page", "used")}


def test_a_lazy_component_is_the_default_export_of_its_module() -> None:
    """`lazy(() => import("./page"))` renders what that module exports by default."""
    page = "export default function Page() { return null }"
    text = "import { lazy } from 'react'\nconst P = lazy(() => import('./page'))\nfunction App() { return <P/> }"
    assert ("App", "Page") in linked({"page.tsx": page, "a.tsx": text})


_IS_DOG = "function isDog(pet: any): pet is Dog { return true }\nfunction isOpen(pet: any): boolean { return true }\n"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("if (isDog(pet)) { pet.bark() }", {"Dog"}),
        ("if (!isDog(pet)) return\n pet.bark()", {"Dog"}),
        ("if (x && isDog(pet)) { pet.bark() }", {"Dog"}),
        ("if (isOpen(pet)) { pet.bark() }", {"Dog", "Fox"}),
        ("if (isDog(x)) { pet.bark() }", {"Dog", "Fox"}),
        ("if (isDog(pet)) { if (isOpen(pet)) { pet.bark() } }", {"Dog"}),
        ("if (pet instanceof Fox) { if (isOpen(pet)) { pet.bark() } }", {"Fox"}),
        ("if (isDog(pet)) { log() }\n pet.bark()", {"Dog", "Fox"}),
    ],
)
def test_a_type_predicate_tells_what_its_argument_is(body: str, expected: set[str]) -> None:
    """A function that gives `pet is Dog` is a type test; one that gives a boolean says nothing."""
    text = f"{_PETS}{_IS_DOG}function walk(pet: Dog | Fox, x?: any) {{\n {body}\n}}"
    found = {target for source, target in linked(text) if source == "walk" and "." in target}
    assert found == {f"{name}.bark" for name in expected}


def test_a_predicate_of_another_module_is_one_too() -> None:
    """The declared result counts wherever the function stands."""
    pets = f"export {_PETS.replace('} class', '} export class')}export {_IS_DOG}"
    text = "import { isDog } from './pets'\nfunction walk(pet: unknown) { if (isDog(pet)) { pet.bark() } }"
    assert ("walk", "Dog.bark") in linked({"pets.ts": pets, "a.ts": text})


@pytest.mark.parametrize(
    "body",
    [
        "setTimeout(f.bind(null), 1)",
        "return f.bind(null)",
        "const later = f.bind(null, 1)\n return later",
        "on({ f: f.bind(0) })",
    ],
)
def test_a_bound_function_that_is_handed_on_is_a_reference(body: str) -> None:
    """`f.bind(x)` passes f on like `f` itself does."""
    text = f"function f() {{}}\nexport function run(on: any) {{\n {body}\n}}"
    assert ("run", "f") in linked(text, EdgeKind.REFERENCES)


def test_a_bound_method_is_a_reference() -> None:
    """The usual `this.m.bind(this)` keeps a method alive."""
    text = "class A { m() {} start(on: any) { on(this.m.bind(this)) } }"
    assert ("A.start", "A.m") in linked(text, EdgeKind.REFERENCES)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("for (const f of [g]) f()\n f()", {"f", "g"}),
        ("for (const f of [g]) { f() }", {"g"}),
        ("for (const [f] of [[g]]) { x.on(() => f()) }\n f()", {"f", "g"}),
        ("try { x.y() } catch (f) { f() }\n f()", {"f"}),
        ("try { x.y() } catch ({ f }) { f() }", set()),
        ("for (var h of [g]) x.y()\n h()", {"g"}),
    ],
)
def test_a_loop_and_a_catch_keep_what_their_heads_declare(body: str, expected: set[str]) -> None:
    """The variable of a loop or of `catch` is not what the rest of the function means."""
    text = f"function f() {{}} function g() {{}}\nexport function run(x: any) {{\n {body}\n}}"
    assert {target for source, target in linked(text) if source == "run"} == expected


def test_two_loops_with_one_name_stay_apart() -> None:
    """Each loop has a variable of its own, with the type of its own elements."""
    text = f"""{_PETS}function f(dogs: Dog[], foxes: Fox[]) {{
 for (const pet of dogs) one(() => pet.bark())
 for (const pet of foxes) {{ pet.name }}
}}"""
    assert {target for source, target in linked(text) if source == "f"} == {"Dog.bark"}
