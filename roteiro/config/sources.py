"""Where settings are written: a TOML file of the user, one of the repository, variables of the environment.

Each reader gives `Setting`s that know their origin. Nothing here decides which one wins, nor what is allowed.
"""

from __future__ import annotations

import difflib
import os
import stat
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from roteiro.config.address import split_address
from roteiro.config.keys import TABLES, Key, all_keys, flatten, nearest, parse_text
from roteiro.errors import ConfigError

__all__ = ["REPOSITORY_FILE", "Setting", "checked", "read_environment", "read_repository_file", "read_user_file"]

REPOSITORY_FILE = "roteiro.toml"

_MAX_BYTES = 64 * 1024
"""A settings file is a page of text; the repository's one is hostile and must not fill the memory."""

_MAY_BE_NEGATIVE = frozenset({"serve.engine.gpu_layers"})
"""llama.cpp takes -1 for all layers."""

_PREFIXES = tuple("ROTEIRO_" + table.upper().replace(".", "_") + "_" for table in TABLES)


class Setting(Struct, frozen=True):
    """One value that somebody wrote down, with where; its type is checked."""

    key: str
    value: object
    origin: str


def read_user_file(path: Path) -> list[Setting]:
    """Return what the user's file sets; a missing file sets nothing."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror}). Mend or move it.", origin=str(path)) from error
    return _settings(data, str(path))


def read_repository_file(root: Path) -> list[Setting]:
    """Return what `roteiro.toml` in the repository sets, before trust limits it.

    A link is not followed: it could make any file of the user part of an error message.
    """
    path = root / REPOSITORY_FILE
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise ConfigError(
            f"{path}: cannot be read ({error.strerror}); a link is not followed. Make it a file.", origin=str(path)
        ) from error
    try:
        data = _read(descriptor, path)
    finally:
        os.close(descriptor)
    return _settings(data, str(path))


def _read(descriptor: int, path: Path) -> bytes:
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        raise ConfigError(f"{path}: is not a regular file. Remove it or make it one.", origin=str(path))
    return os.read(descriptor, _MAX_BYTES + 1)


def _settings(data: bytes, origin: str) -> list[Setting]:
    if len(data) > _MAX_BYTES:
        raise ConfigError(
            f"{origin}: is larger than {_MAX_BYTES} bytes, which is no settings file. Shorten it.", origin=origin
        )
    try:
        document = tomllib.loads(data.decode())
    except UnicodeDecodeError as error:
        raise ConfigError(f"{origin}: is not UTF-8 (byte {error.start}). Save it as UTF-8.", origin=origin) from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigError(f"{origin}: is not TOML: {error}. Mend that place.", origin=origin) from error
    return [checked(name, value, origin) for name, value in flatten(document)]


def read_environment(environ: Mapping[str, str]) -> list[Setting]:
    """Return what variables such as `ROTEIRO_SERVE_ADDR` set; one that begins like a table but is no key is refused."""
    by_variable = {key.variable: key for key in all_keys().values()}
    settings: list[Setting] = []
    for variable in sorted(environ):
        key = by_variable.get(variable)
        if key is None and not _is_meant_for_us(variable, by_variable):
            continue
        origin = f"environment {variable}"
        if key is None:
            name = variable.removeprefix("ROTEIRO_").lower().replace("_", ".", 1)
            raise ConfigError(f"{origin}: sets nothing that exists.{nearest(name)}", origin=origin)
        settings.append(checked(key.name, _parsed(key, environ[variable], origin), origin))
    return settings


def _is_meant_for_us(variable: str, known: Iterable[str]) -> bool:
    """Say whether a variable begins like a table or is one misspelt; others of the prefix are not settings."""
    if variable.startswith(_PREFIXES):
        return True
    return variable.startswith("ROTEIRO_") and bool(difflib.get_close_matches(variable, known, n=1, cutoff=0.9))


def _parsed(key: Key, text: str, origin: str) -> object:
    try:
        return parse_text(key, text)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{origin}: {key.name} = {text!r}: {_reason(error)}", origin=origin, key=key.name) from error


def checked(name: str, value: object, origin: str) -> Setting:
    """Return the setting with its value in the type of its key.

    Raises:
        ConfigError: no such key (naming the nearest), a wrong type, or a negative number.

    """
    key = all_keys().get(name)
    if key is None:
        raise ConfigError(f"{origin}: {name} is not a setting.{nearest(name)}", origin=origin, key=name)
    try:
        converted: object = msgspec.convert(value, key.type)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{origin}: {name} = {value!r}: {_reason(error)}", origin=origin, key=name) from error
    if isinstance(converted, (int, float)) and converted < 0 and name not in _MAY_BE_NEGATIVE:
        raise ConfigError(f"{origin}: {name} = {value!r}: must not be negative.", origin=origin, key=name)
    if name == "serve.addr":
        _check_address(str(converted), origin)
    return Setting(name, converted, origin)


def _check_address(address: str, origin: str) -> None:
    try:
        split_address(address)
    except ConfigError as error:
        raise ConfigError(f"{origin}: {error}", origin=origin, key="serve.addr") from error


def _reason(error: msgspec.ValidationError) -> str:
    text = str(error).replace("`", "")
    return text[:1].lower() + text[1:] + "."
