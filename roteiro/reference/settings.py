"""The page of settings, from the settings structs: names, types, defaults, and the sentence under each field."""

from __future__ import annotations

import ast
import inspect
import itertools
import textwrap
from collections.abc import Mapping
from typing import Literal, cast, get_args, get_origin

import msgspec
from msgspec import Struct

from roteiro.config.keys import TABLES, all_keys
from serve.settings import UpstreamSettings

__all__ = ["settings_page"]

_INTRO = """# Settings

From weakest to strongest: the defaults below, your own file (`roteiro config` prints where), `roteiro.toml` in the
repository (it may only add to `index.exclude` and narrow the numbers of `[index]` and `[ask]`; anything else in it is
an error), the environment, flags. `roteiro config` shows each value and where it came from. In the environment, lists
are separated by commas, `serve.aliases` is `name=model` pairs, and `serve.upstream` is one base URL.
"""


def settings_page() -> str:
    """Return a table for each table of the settings."""
    sections = [_section(f"[{table}]", table, struct) for table, struct in TABLES.items()]
    upstream = _section("[[serve.upstream]]", "", UpstreamSettings)
    return "\n".join([_INTRO, *sections, upstream])


def _section(title: str, table: str, struct: type[Struct]) -> str:
    said = _sentences(struct)
    rows = [
        _row(field, table, said.get(field.name, ""))
        for field in msgspec.structs.fields(struct)
        if f"{table}.{field.name}" not in TABLES and f"{table}.{field.name}" != "serve.upstream"
    ]
    columns = (
        "| key | type | default | meaning | variable |\n|---|---|---|---|---|"
        if table
        else "| key | type | default | meaning |\n|---|---|---|---|"
    )
    return "\n".join([f"## {title}\n", columns, *rows, ""])


def _row(field: msgspec.structs.FieldInfo, table: str, said: str) -> str:
    if not table:
        default = "required" if field.required else _toml(field.default)
        return f"| `{field.name}` | {_type(field.type)} | {default} | {said} |"
    key = all_keys()[f"{table}.{field.name}"]
    return f"| `{field.name}` | {_type(key.type)} | {_toml(key.default)} | {said} | `{key.variable}` |"


_TYPES = {str: "text", int: "whole number", float: "number", bool: "true or false"}


def _type(type_: object) -> str:
    """Return a type in words; of a choice the values."""
    match get_origin(type_):
        case None:
            return _TYPES[cast("type", type_)]
        case origin if origin is Literal:
            return " or ".join(_toml(choice) for choice in get_args(type_))
        case origin if origin is dict:
            return "pairs of text"
        case _:
            return "list of text"


def _toml(value: object) -> str:
    return f"`{msgspec.json.encode(value).decode()}`"


def _sentences(struct: type[Struct]) -> Mapping[str, str]:
    """Return the string that stands under each field in the source; it is not kept at run time."""
    body = ast.parse(textwrap.dedent(inspect.getsource(struct))).body[0]
    found: dict[str, str] = {}
    statements = body.body if isinstance(body, ast.ClassDef) else []
    for field, below in itertools.pairwise(statements):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(below, ast.Expr):
            text: object = below.value.value if isinstance(below.value, ast.Constant) else ""
            found[field.target.id] = " ".join(str(text).split()).replace("|", "\\|")
    return found
