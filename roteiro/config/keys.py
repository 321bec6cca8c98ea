"""Every setting there is: its dotted name, its type and its default, read off the settings structs of the packages.

The rule that must stay true: the structs are the only list. A new field is a new key everywhere, by itself.
"""

from __future__ import annotations

import difflib
import functools
from collections.abc import Iterator, Mapping
from typing import cast

import msgspec
from msgspec import Struct

from graph.settings import IndexSettings
from mcp_server.settings import McpSettings
from roteiro.config.settings import LogSettings, ModelSettings
from serve.settings import AskSettings, EngineSettings, ServeSettings, UpstreamSettings

__all__ = ["TABLES", "Key", "all_keys", "flatten", "nearest", "parse_text"]

TABLES: Mapping[str, type[Struct]] = {
    "index": IndexSettings,
    "ask": AskSettings,
    "serve": ServeSettings,
    "serve.engine": EngineSettings,
    "mcp": McpSettings,
    "models": ModelSettings,
    "logs": LogSettings,
}


class Key(Struct, frozen=True):
    """One setting."""

    name: str
    """Dotted: `serve.engine.threads`."""
    type: object
    default: object

    @property
    def variable(self) -> str:
        """The environment variable that sets it: `ROTEIRO_SERVE_ENGINE_THREADS`."""
        return "ROTEIRO_" + self.name.upper().replace(".", "_")


@functools.cache
def all_keys() -> Mapping[str, Key]:
    """Return every key by name, in the order of the tables; `serve.upstream` is one key that holds a list of tables."""
    return {key.name: key for table, struct in TABLES.items() for key in _fields(table, struct)}


def _fields(table: str, struct: type[Struct]) -> Iterator[Key]:
    for field in msgspec.structs.fields(struct):
        name = f"{table}.{field.name}"
        if name not in TABLES:
            yield Key(name, field.type, _default(field))


def _default(field: msgspec.structs.FieldInfo) -> object:
    if field.default_factory is not msgspec.NODEFAULT:
        return field.default_factory()
    return field.default


def flatten(document: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    """Yield (dotted name, value) for a parsed TOML document; a table that is none of ours is yielded under its name."""
    for name, value in document.items():
        yield from _flatten(name, value)


def _flatten(name: str, value: object) -> Iterator[tuple[str, object]]:
    if isinstance(value, dict) and name in TABLES:
        for inner, further in cast("dict[str, object]", value).items():
            yield from _flatten(f"{name}.{inner}", further)
    else:
        yield name, value


def nearest(name: str) -> str:
    """Return ` Nearest: ...` for an unknown key, or a list of the tables when nothing is near."""
    # The last part first: `serve.adr` and `adress` should both find `serve.addr`.
    tables = [] if "." in name else difflib.get_close_matches(name, list(TABLES), n=1, cutoff=0.6)
    if tables:
        return f" Nearest: the table [{tables[0]}]."
    names = list(all_keys())
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    if not close:
        leaf = name.rpartition(".")[2]
        by_leaf = {key.rpartition(".")[2]: key for key in reversed(names)}
        close = [by_leaf[found] for found in difflib.get_close_matches(leaf, list(by_leaf), n=1, cutoff=0.6)]
    if close:
        return f" Nearest: {close[0]}."
    return f" Tables are {', '.join(f'[{table}]' for table in TABLES)}."


def parse_text(key: Key, text: str) -> object:
    """Return the value that a text (of the environment or a flag) means for a key, before its type is checked.

    Lists are separated by commas, `serve.aliases` by `name=model` pairs, and `serve.upstream` is one base URL.
    """
    if key.type == tuple[UpstreamSettings, ...]:
        return [{"base_url": text}] if text else []
    if key.type == tuple[str, ...]:
        return [part.strip() for part in text.split(",") if part.strip()]
    if key.type == dict[str, str]:
        pairs = (part.partition("=") for part in text.split(",") if part.strip())
        return {name.strip(): model.strip() for name, _, model in pairs}
    return msgspec.convert(text, key.type, strict=False)
