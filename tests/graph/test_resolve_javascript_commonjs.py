"""Modules without `import`: CommonJS in all its forms, what compilers write, AMD and UMD; every call edge is listed."""

# ruff: noqa: E501 - a file is read best on a line
from __future__ import annotations

import pytest

from tests.memory import Pairs, by_name, pairs

OTHER = "exports.start = function () {}; exports.stop = function () {};"
"""In every program, beside what it is about: a module with the same names that nobody loads."""

CASES: dict[str, tuple[dict[str, str], Pairs]] = {
    "what another module exports is spread into exports": (
        {"a.js": "const m = require('./m'); m.start()", "m.js": "module.exports = { ...require('./n') }", "n.js": "exports.start = function () {}"},
        {("a.js", "n.js#start")},
    ),
    "and assigned to them": (
        {"a.js": "const m = require('./m'); m.start(); m.stop()", "m.js": "Object.assign(exports, require('./n'), { stop() {} })", "n.js": "exports.start = () => {}"},
        {("a.js", "n.js#start"), ("a.js", "m.js#stop")},
    ),
    "exports with two names": (
        {"a.js": "const m = require('./m'); m.start(); m.go()", "m.js": "exports = module.exports = {}; module.exports.start = function begin() {}; exports.go = exports.start"},
        {("a.js", "m.js#begin")},
    ),
    "an export in a function with names of its own": (
        {"a.js": "require('./m').start()", "m.js": "const f = () => 0; (function () { const f = function begin() {}; exports.start = f })()"},
        {("a.js", "m.js#begin")},
    ),
    "a module chosen by a condition": (
        {"a.js": "let m; if (x) m = require('./m'); else m = require('./n'); m.start()", "m.js": "exports.start = function () {}", "n.js": "exports.start = function () {}"},
        {("a.js", "m.js#start"), ("a.js", "n.js#start")},
    ),
    "the outermost this": (
        {"a.js": "const m = require('./m'); m.start()", "m.js": "this.start = function () {}; const o = { all: this }; o.all.start()"},
        {("a.js", "m.js#start"), ("m.js", "m.js#start")},
    ),
    "getters of exports": (
        {"a.js": "const m = require('./m'); m.start()", "m.js": 'var n_1 = require("./n"); Object.defineProperty(exports, "start", { enumerable: true, get: function () { return n_1.begin } })', "n.js": "exports.begin = function () {}"},
        {("a.js", "n.js#begin")},
    ),
    "names copied in a loop": (
        {"a.js": "const m = require('./m'); m.start()", "m.js": 'var n = require("./n"); Object.keys(n).forEach(function (key) { exports[key] = n[key] })', "n.js": "exports.start = function () {}"},
        {("a.js", "n.js#start")},
    ),
    "getters copied in a loop": (
        {"a.js": "const m = require('./m'); m.start()", "m.js": 'var n = require("./n"); Object.keys(n).forEach(function (key) { Object.defineProperty(exports, key, { get: function () { return n[key] } }) })', "n.js": "exports.start = function () {}"},
        {("a.js", "n.js#start")},
    ),
    "export stars of compilers": (
        {"a.js": "const m = require('./m'); m.start(); m.stop()", "m.js": 'const tslib_1 = require("tslib"); tslib_1.__exportStar(require("./n"), exports); _export_star(require("./k"), exports)', "n.js": "exports.start = function () {}", "k.js": "exports.stop = function () {}"},
        {("a.js", "n.js#start"), ("a.js", "k.js#stop")},
    ),
    "imports of compilers": (
        {"a.js": "var m_1 = __importDefault(require('./m')); (0, m_1.default)(); var all = _interopRequireWildcard(require('./m')); (0, all.start)()", "m.js": "exports.default = function begin() {}; exports.start = function () {}"},
        {("a.js", "m.js#begin"), ("a.js", "m.js#start")},
    ),
    "an AMD module gets and gives modules": (
        {"a.js": "require(['./m'], function (m) { m.start() })", "m.js": "define(['./n'], function (n) { return { start: function () { n.begin() } } })", "n.js": "define({ begin: function () {} })"},
        {("a.js", "m.js#start"), ("m.js#start", "n.js#begin")},
    ),
    "an AMD module that exports": (
        {"a.js": "require(['./m'], function (m) { m.start() })", "m.js": "define(['exports'], function (exports) { exports.start = function () {} })"},
        {("a.js", "m.js#start")},
    ),
    "a module for every loader": (
        {"a.js": "const m = require('./m'); m.start()", "m.js": "(function (root, make) { if (typeof define === 'function') define([], make); else if (typeof module === 'object') module.exports = make(); else root.m = make() })(this, function () { function start() {} return { start } })"},
        {("a.js", "m.js#start")},
    ),
    "a bundle that is handed its exports": (
        {"a.js": "const m = require('./m'); m.start()", "m.js": "(function (global, make) { typeof exports === 'object' ? make(exports) : make(global.m = {}) })(this, function (exports) { function begin() {} exports.start = begin })"},
        {("a.js", "m.js#begin")},
    ),
    "a module loaded later": (
        {"a.js": "async function f() { const { start } = await import('./m.mjs'); start(); import('./m.mjs').then(m => m.stop()) }", "m.mjs": "export function start() {} export const stop = () => {}"},
        {("a.js#f", "m.mjs#start"), ("a.js#f", "m.mjs#stop")},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_exports_lead_to_what_was_exported(case: str) -> None:
    """Every edge of a program, and no other."""
    texts, wanted = CASES[case]
    assert pairs({**texts, "other.js": OTHER}) == wanted


def test_matching_by_name_fails_these_programs() -> None:
    """The programs tell a resolver from a search for names."""
    assert [case for case, (texts, wanted) in CASES.items() if by_name({**texts, "other.js": OTHER}) == wanted] == []
