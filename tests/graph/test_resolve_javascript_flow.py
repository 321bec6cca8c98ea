"""Where values of JavaScript flow: every call edge of each small program is listed, in the words `caller -> callee`."""

# ruff: noqa: E501 - a program is read best on a line
from __future__ import annotations

import time

import pytest

from tests.memory import Pairs, by_name, pairs

BOTH = "function run() {} function stop() {} "

CASES: dict[str, tuple[str, str]] = {
    "a variable that another function assigns": (
        BOTH + "let job; function choose() { job = run } choose(); job()",
        "-> choose, -> run",
    ),
    "a variable of the function around": (
        BOTH + "function make() { let job = stop; const set = () => { job = run }; set(); return job } make()()",
        "-> make, make -> make.set, -> run, -> stop",
    ),
    "a pattern that assigns what lies outside": (
        BOTH + "let job; function choose() { [job] = [run] } job()",
        "-> run",
    ),
    "a global that nobody declares": (BOTH + "function choose() { job = run } job()", "-> run"),
    "a name tested in a function and called outside of the test": (
        "class Dog { bark() {} } class Fox { bark() {} } const pet = new Dog(); function f() { if (pet instanceof Dog) { pet.bark() } pet.bark() }",
        "-> Dog, f -> Dog.bark",
    ),
    "a function that puts another one in its own place": (
        "let once = function () { once = () => 1; return once() }; once()",
        "-> once, once -> once",
    ),
    "spread arguments by their places": (
        BOTH + "function call(first, second) { second() } call(...[run, stop]); call(0, ...[run])",
        "-> call, call -> stop, call -> run",
    ),
    "a spread list by its places": (BOTH + "const jobs = [run, stop]; const more = [1, ...jobs]; more[2]()", "-> stop"),
    "rest parameters by their places": (
        BOTH + "function call(first, ...others) { others[1]() } call(0, run, stop)",
        "-> call, call -> stop",
    ),
    "the rest of a list": (BOTH + "const [first, ...others] = [run, stop]; others[0]()", "-> stop"),
    "a default of a nested pattern": (BOTH + "const { hooks: { start } = { start: run } } = {}; start()", "-> run"),
    "all arguments": (BOTH + "function call() { arguments[1]() } call(run, stop)", "-> call, call -> stop"),
    "all arguments handed on": (
        BOTH + "function call(job) { job() } function wrap() { return call.apply(this, arguments) } wrap(run)",
        "-> wrap, wrap -> call, call -> run",
    ),
    "the function itself": ("const count = function (n) { arguments.callee(n - 1) }; count(1)", "-> count, count -> count"),
    "arguments of call, apply and bind": (
        BOTH + "function call(job) { job() } call.call(null, run); call.apply(null, [stop]); call.bind(null, run)()",
        "-> call, call -> run, call -> stop",
    ),
    "what a plain function is called on": (
        "const door = { open() {} }; function use() { this.open() } use.call(door)",
        "-> use, use -> door.open",
    ),
    "a function hung on several objects": (
        "function use() { this.open() } const door = { open() {} }; const box = { open() {} }; door.use = use; door.use()",
        "-> use, use -> door.open",
    ),
    "what an executor resolves": (
        BOTH + "function later() { return new Promise(done => { done(run) }) } async function main() { const job = await later(); job() } main()",
        "-> main, main -> later, main -> run",
    ),
    "a promise of a function": (BOTH + "Promise.resolve(run).then(job => job())", "-> run"),
    "a generator that delegates": (
        BOTH + "function* inner() { yield run } function* outer() { yield* inner() } for (const job of outer()) job()",
        "-> outer, outer -> inner, -> run",
    ),
    "an iterable class": (
        BOTH + "class Jobs { *[Symbol.iterator]() { yield run } } for (const job of new Jobs()) job()",
        "-> Jobs, -> Jobs.[Symbol.iterator], -> run",
    ),
    "an iterator written by hand": (
        BOTH + "class Steps { next() { return { value: run } } } class Jobs { [Symbol.iterator]() { return new Steps() } } const [job] = [...new Jobs()]; job()",
        "-> Jobs, Jobs.[Symbol.iterator] -> Steps, -> run",
    ),
    "the mapper of a copied list": (
        BOTH + "function pick(job) { job(); return stop } Array.from([run], pick)[0]()",
        "-> pick, pick -> run, -> stop",
    ),
    "lists put together": (BOTH + "const [, job] = [[run], [stop]].flat(); Array.of(run, stop)[1]()", "-> stop"),
    "keys that are put together": (BOTH + "const jobs = { startJob: run, stopJob: stop }; jobs['stop' + 'Job']()", "-> stop"),
    "keys assigned in a loop": (
        BOTH + "const api = {}; for (const verb of ['get', 'put']) api[verb] = run; api.put()",
        "-> run",
    ),
    "a key handed over": (
        "class Router {} ['get', 'put'].forEach(verb => { Router.prototype[verb] = function send() {} }); new Router().put()",
        "-> Router, -> send",
    ),
    "what a constructor returns instead": ("function Other() { return { start() {} } } function Job() { return { start() {} } } new Job().start()", "-> Job, -> Job.start"),
    "a getter that a descriptor gives": (
        "const door = { open() {} }; function state() { this.open() } Object.defineProperty(door, 'state', { get: state }); const now = door.state",
        "-> state, state -> door.open",
    ),
    "a setter that a descriptor gives": (
        BOTH + "const door = {}; function change(job) { job() } Object.defineProperty(door, 'state', { set: change }); door.state = run",
        "-> change, change -> run",
    ),
    "descriptors in variables": (
        BOTH + "const how = { value: run }; const a = {}; Object.defineProperty(a, 'go', how); a.go(); const b = {}; Object.defineProperties(b, { go: how }); b.go()",
        "-> run",
    ),
    "a table of descriptors in a variable": (
        BOTH + "const table = { go: { value: stop } }; const a = {}; Object.defineProperties(a, table); a.go()",
        "-> stop",
    ),
    "a getter read alone, in an operand and in a chain": (
        "const a = { get one() {}, get two() {}, get three() { return { go() {} } } }; a.one; const n = a.two + 1; a.three.go()",
        "-> a.one, -> a.two, -> a.three, -> a.three.go",
    ),
    "a value that a setter keeps": (
        BOTH + "class Door { set state(job) { this.job = job } turn() { this.job() } } const door = new Door(); door.state = run; door.turn()",
        "-> Door, -> Door.state, -> Door.turn, Door.turn -> run",
    ),
    "a setter that a pattern assigns to": (
        BOTH + "const door = { set state(job) { job() } }; ({ wanted: door.state } = { wanted: run })",
        "-> door.state, door.state -> run",
    ),
    "a variable declared in a default of a pattern that assigns": (
        BOTH + "let job = run, pick; [pick = function inner() { let job = stop; job() }] = []; job()",
        "-> run, inner -> stop",
    ),
    "a template that needs a text": (
        "class Name { toString() {} } class Other { toString() {} } let who = new Name(); const text = `${who}`\n; who = 1",
        "-> Name, -> Name.toString",
    ),
    "a job of a queue by its place": (
        BOTH + "const queue = []; function add(job) { queue.push(job) } function next(place) { queue[place]() } add(run); next(0)",
        "-> add, -> next, next -> run",
    ),
    "a chain of promises that begins with nothing": (
        BOTH + "function first() { return run } Promise.resolve().then(first).then(job => job())",
        "-> first, -> run",
    ),
    "members copied in a loop": (
        "function extend(to, from) { for (const key in from) to[key] = from[key]; return to } const a = extend({}, { go() {} }); a.go(); const b = { go() {} }",
        "-> extend, -> go",
    ),
    "properties of the global object": (
        BOTH + "window.start = run; start(); globalThis.halt = stop; globalThis.halt()",
        "-> run, -> stop",
    ),
    "an object that is called like the global one": (
        BOTH + "function f() { const self = {}; self.stop = run; self.stop() } f(); job()",
        "-> f, f -> run",
    ),
    "a getter of a class": (
        "class Door { static get one() { return new Door() } open() {} } class Box { open() {} } Door.one.open()",
        "-> Door.one, Door.one -> Door, -> Door.open",
    ),
    "what a constructor is handed": (
        BOTH + "class Task { constructor(job) { this.job = job } go() { this.job() } } new Task(run).go()",
        "-> Task, -> Task.constructor, -> Task.go, Task.go -> run",
    ),
    "what a function adds to the object it is called on": (
        "class Task { constructor(job) { this.job = job } }\nconst task = new Task(function () { this.late = () => {} });\ntask.job();\ntask.late(); const other = { late() {} }",
        "-> Task, -> Task.constructor, -> late",
    ),
    "a method reached through super that needs the heir": (
        "const base = { go() { this.step() } }; const heir = { go() { super.go() }, step() {} }; Object.setPrototypeOf(heir, base); heir.go()",
        "-> heir.go, heir.go -> base.go, base.go -> heir.step",
    ),
    "the class that is constructed": (
        "class Door { constructor() { new.target.count() } static count() {} } new Door()",
        "-> Door, -> Door.constructor, Door.constructor -> Door.count",
    ),
    "a class compiled to functions": (
        "var A = (function () { function Base() {} Base.prototype.go = function () {}; return Base })(); var B = (function (parent) { __extends(Heir, parent); function Heir() {} return Heir })(A); new B().go()",
        "-> Heir, -> Base.go",
    ),
    "handlers kept in a table of lists": (
        BOTH + "class Bus { constructor() { this.jobs = {} } on(key, job) { (this.jobs[key] = this.jobs[key] || []).push(job) } emit(key) { this.jobs[key].forEach(job => job()) } } const bus = new Bus(); bus.on('a', run); bus.emit('a')",
        "-> Bus, -> Bus.constructor, -> Bus.on, -> Bus.emit, Bus.emit -> run",
    ),
}  # fmt: skip


def written(text: str, path: str = "a.js") -> Pairs:
    """Read `f -> g, -> h`: an end without a name is the file."""
    ends = (edge.split("->") for edge in text.split(", "))
    return {(_end(src, path), _end(dst, path)) for src, dst in ends}


def _end(name: str, path: str) -> str:
    return f"{path}#{name.strip()}" if name.strip() else path


def test_a_component_gets_its_attributes() -> None:
    """As one object, taken apart or not."""
    source = (
        "function Button({ press }) { press() } function Page(props) { props.show(); return <Button press={props.save} /> } "
        "function show() {} function save() {} function App() { return <Page show={show} {...{ save }} /> }"
    )
    wanted = "App -> Page, Page -> Button, Page -> show, Button -> save"
    assert pairs({"a.jsx": source}) == written(wanted, "a.jsx")


@pytest.mark.parametrize("case", CASES)
def test_a_value_is_followed_to_its_call(case: str) -> None:
    """Every edge of a program, and no other."""
    source, wanted = CASES[case]
    assert pairs({"a.js": source}) == written(wanted)


def test_matching_by_name_fails_these_programs() -> None:
    """The programs tell a resolver from a search for names."""
    assert [case for case, (source, wanted) in CASES.items() if by_name({"a.js": source}) == written(wanted)] == []


@pytest.mark.parametrize(
    "line",
    [
        "const p# = new Promise(done => { done(f) }); p#.then(x => x())",
        "Object.defineProperty(o, 'p#', { get: g#, set: s }); o.p# = 1; o.p#; function g#() {}",
        "o.x = function () { this.x(); this.y() }; o.y = o.x; o['k' + k#] = o.x",
        "const o# = { m() { this.z() } }; Object.setPrototypeOf(o#, o); o#.m(); f.call(o#, ...a, #)",
        "class A# { *[Symbol.iterator]() { yield* this; yield* new A#() } } for (const x of new A#()) x.f()",
    ],
)
def test_cost_grows_with_the_program_alone(line: str) -> None:
    """Values that reach each other in circles, or come from everywhere, end in time."""
    source = "const o = {}, a = []; function f(x) { arguments[0](); this.m(); a.push(x) }\n"
    started = time.process_time()
    pairs({"a.js": source + "\n".join(line.replace("#", str(place)) for place in range(400))})
    assert time.process_time() - started < 30
