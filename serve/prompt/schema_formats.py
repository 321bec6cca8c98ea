"""The formats of strings that are held, as GBNF: narrower than their standards, so that every reader takes them."""

from __future__ import annotations

__all__ = ["ADVISORY", "FORMATS"]

_DAY = '"-" ("0" [1-9] | "1" [0-2]) "-" ("0" [1-9] | "1" [0-9] | "2" [0-8])'  # days that every month has
_CLOCK = '([01] [0-9] | "2" [0-3]) ":" [0-5] [0-9] ":" [0-5] [0-9] ("." [0-9]{1,6})?'
_ZONE = '("Z" | [+-] ("0" [0-9] | "1" [0-3]) ":" [0-5] [0-9])'
_BYTE = '("25" [0-5] | "2" [0-4] [0-9] | "1" [0-9] [0-9] | [1-9]? [0-9])'
_YEAR = '("19" | "20") [0-9] [0-9]'
_LABEL = "[a-z0-9] [a-z0-9]{0,30}"
_HOST = f'{_LABEL} ("-" {_LABEL})? ("." {_LABEL}){{0,3}} "." [a-z]{{2,10}}'
_EMAIL = f'[a-zA-Z0-9_]{{1,30}} ([.+-] [a-zA-Z0-9_]{{1,30}}){{0,3}} "@" {_HOST}'
_PATH = '("/" [a-zA-Z0-9._~-]{1,40}){0,8} "/"?'
_QUERY = '("?" [a-zA-Z0-9=&._-]{1,80})? ("#" [a-zA-Z0-9._-]{1,60})?'
_URI = f'("https" | "http") "://" {_HOST} (":" [1-9] [0-9]{{1,3}})? {_PATH} {_QUERY}'
FORMATS: dict[str, str] = {
    "date": f"{_YEAR} {_DAY}",
    "time": f"{_CLOCK} {_ZONE}",
    "date-time": f'{_YEAR} {_DAY} "T" {_CLOCK} {_ZONE}',
    "duration": '"P" ([0-9]{1,4} "D" ("T" [0-9]{1,4} [HMS])? | "T" [0-9]{1,4} [HMS] | [0-9]{1,4} [YMW])',
    "uuid": '[0-9a-f]{8} "-" [0-9a-f]{4} "-" [0-9a-f]{4} "-" [0-9a-f]{4} "-" [0-9a-f]{12}',
    "ipv4": f'{_BYTE} "." {_BYTE} "." {_BYTE} "." {_BYTE}',
    "ipv6": '[0-9a-f]{1,4} (":" [0-9a-f]{1,4}){7}',
    "hostname": _HOST,
    "idn-hostname": _HOST,
    "email": _EMAIL,
    "idn-email": _EMAIL,
    "uri": _URI,
    "iri": _URI,
}
ADVISORY = frozenset({"hostname", "idn-hostname", "email", "idn-email", "uri", "iri"})
"""Formats whose texts may be long: beside lengths that they do not fit they are read as the annotations they are."""
