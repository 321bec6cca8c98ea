"""The words that search treats specially: stop words, and short forms that programmers write for longer words.

Tables only. The short forms apply to the index and to the query alike, so `auth` finds `authenticate` and the reverse.
A change here changes the index: raise `indexing.SEARCH_VERSION`.
"""

from __future__ import annotations

__all__ = ["ASKING_WORDS", "SHORT_FORMS", "STOP_WORDS"]

STOP_WORDS = frozenset(
    """
    a about after all also an and any are as at be because been before being between both but by can could did do does
    done during each else every for from get gets given go goes got had has have having here how i if in inside instead
    into is it its itself just like made make makes many may me might more most much must my need needs no nor not of
    off on once one only onto or other our out over own part place please same shall she should show so some such tell
    than that the their them then there these they thing this those through to too two under until up upon us use used
    uses using very via want was way we were what when where whether which while who whose why will with within without
    would you your
    """.split()  # noqa: SIM905 - a paragraph of words is easier to read and to diff than 200 quoted strings
)
"""Words that name nothing."""

ASKING_WORDS = frozenset(
    """
    actually called code codebase define defined defines exactly explain file files find function functions handle
    handled handles happen happens happening implement implementation implemented implements kind located look method
    project repo repository responsible somewhere source work works
    """.split()  # noqa: SIM905 - a paragraph of words is easier to read and to diff than 200 quoted strings
)
"""How people ask about code. They are searched with all the same: a `file` or a `handler` is often what is meant, and
dropping them costs .02. A question of nothing but these is about everything."""

SHORT_FORMS: dict[str, str] = {
    "args": "argument",
    "arg": "argument",
    "attr": "attribute",
    "attrs": "attribute",
    "auth": "authenticate",
    "authn": "authenticate",
    "cfg": "configuration",
    "cmd": "command",
    "conf": "configuration",
    "config": "configuration",
    "configs": "configuration",
    "conn": "connection",
    "ctx": "context",
    "db": "database",
    "del": "delete",
    "dict": "dictionary",
    "dir": "directory",
    "dirs": "directory",
    "doc": "documentation",
    "docs": "documentation",
    "env": "environment",
    "err": "error",
    "exc": "exception",
    "expr": "expression",
    "ext": "extension",
    "fn": "function",
    "func": "function",
    "funcs": "function",
    "impl": "implementation",
    "info": "information",
    "init": "initialize",
    "len": "length",
    "lib": "library",
    "max": "maximum",
    "min": "minimum",
    "msg": "message",
    "msgs": "message",
    "num": "number",
    "obj": "object",
    "param": "parameter",
    "params": "parameter",
    "pkg": "package",
    "prev": "previous",
    "ref": "reference",
    "refs": "reference",
    "repr": "representation",
    "req": "request",
    "res": "response",
    "resp": "response",
    "ret": "return",
    "spec": "specification",
    "src": "source",
    "stmt": "statement",
    "str": "string",
    "sync": "synchronous",
    "async": "asynchronous",
    "tmp": "temporary",
    "temp": "temporary",
    "val": "value",
    "var": "variable",
    "vars": "variable",
}
"""Only forms that mean one word almost everywhere: `app` and `id` are words of their own."""
