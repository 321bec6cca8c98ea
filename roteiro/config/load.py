"""The effective settings: which value wins, and where each came from.

Order, later wins: default, the user's file, the repository's file (as far as `trust.py` lets it), the environment,
flags. Reads at most two files; does not look at the analysed repository beyond its `roteiro.toml`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import Struct

from graph.settings import IndexSettings
from mcp_server.settings import McpSettings
from roteiro.config.keys import TABLES, all_keys
from roteiro.config.settings import LogSettings, ModelSettings
from roteiro.config.sources import Setting, checked, read_environment, read_repository_file, read_user_file
from roteiro.config.trust import limited
from roteiro.folders import user_config_file
from serve.settings import AskSettings, EngineSettings, ServeSettings

__all__ = ["Config", "Flag", "load_config"]

_StructT = TypeVar("_StructT", bound=Struct)


class Flag(Struct, frozen=True):
    """A value that was given on the command line."""

    key: str
    value: object
    flag: str
    """As typed: `--port`."""


class Config(Struct, frozen=True, kw_only=True):
    """The effective settings of all packages."""

    index: IndexSettings
    ask: AskSettings
    serve: ServeSettings
    mcp: McpSettings
    models: ModelSettings
    logs: LogSettings
    values: tuple[Setting, ...]
    """Every key in the order of the tables, with its value and origin."""
    user_file: Path

    def origin_of(self, key: str) -> str:
        """Return where the value of a key came from; `default` when nobody set it."""
        return next(setting.origin for setting in self.values if setting.key == key)


def load_config(
    root: Path | None,
    flags: Iterable[Flag] = (),
    environ: Mapping[str, str] | None = None,
    user_file: Path | None = None,
) -> Config:
    """Return the effective settings for a repository; without a root no repository file is read.

    Raises:
        ConfigError: a value cannot be used; the message begins with where it stands.

    """
    path = user_file or user_config_file()
    values = {key.name: Setting(key.name, key.default, "default") for key in all_keys().values()}
    _put(values, read_user_file(path))
    for wanted in read_repository_file(root) if root else ():
        values[wanted.key] = limited(wanted, values[wanted.key])
    _put(values, read_environment(os.environ if environ is None else environ))
    _put(values, [checked(flag.key, flag.value, f"flag {flag.flag}") for flag in flags])
    return _composed(values, path)


def _put(values: dict[str, Setting], settings: Iterable[Setting]) -> None:
    values.update((setting.key, setting) for setting in settings)


def _composed(values: Mapping[str, Setting], user_file: Path) -> Config:
    serve = _struct(ServeSettings, "serve", values)
    return Config(
        index=_struct(IndexSettings, "index", values),
        ask=_struct(AskSettings, "ask", values),
        serve=msgspec.structs.replace(serve, engine=_struct(EngineSettings, "serve.engine", values)),
        mcp=_struct(McpSettings, "mcp", values),
        models=_struct(ModelSettings, "models", values),
        logs=_struct(LogSettings, "logs", values),
        values=tuple(values.values()),
        user_file=user_file,
    )


def _struct(struct: type[_StructT], table: str, values: Mapping[str, Setting]) -> _StructT:
    names = (field.name for field in msgspec.structs.fields(struct) if f"{table}.{field.name}" not in TABLES)
    return struct(**{name: values[f"{table}.{name}"].value for name in names})
