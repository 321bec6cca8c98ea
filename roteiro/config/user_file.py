"""Changing the user's own settings file from the command line: read, edit, check, replace in one step."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from roteiro.config.edit import with_key, without_key
from roteiro.config.keys import all_keys, nearest, parse_text
from roteiro.config.sources import checked
from roteiro.errors import ConfigError, UsageError
from roteiro.folders import user_config_file

__all__ = ["change"]


def change(set_to: Iterable[str], unset: Iterable[str], file: Path | None = None) -> Path:
    """Make keys comments, then set `KEY=VALUE` pairs; return the file, which is made when it is not there.

    Raises:
        UsageError: a pair without `=`, or no such key.
        ConfigError: a value of the wrong type, or a file that cannot be changed safely; it is untouched then.

    """
    path = (file or user_config_file()).expanduser()
    text = path.read_text() if path.exists() else ""
    for name in unset:
        text = without_key(text, name)
    for pair in set_to:
        name, equals, value = pair.partition("=")
        if not equals:
            raise UsageError(f"--set {pair}: has no value. Write KEY=VALUE.")
        text = with_key(text, name.strip(), _value(name.strip(), value.strip()))
    _replace(path, text)
    return path


def _value(name: str, text: str) -> object:
    key = all_keys().get(name)
    if key is None:
        raise UsageError(f"--set {name}: is not a setting.{nearest(name)}")
    try:
        value = parse_text(key, text)
    except msgspec.ValidationError as error:
        raise ConfigError(f"--set {name}={text}: {str(error).replace('`', '')}.", key=name) from error
    checked(name, value, f"--set {name}")
    return value


def _replace(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    target = path.resolve()  # a link to a file elsewhere (a folder of dotfiles) stays one
    new = target.with_name(f"{target.name}.new")
    new.write_text(text)
    new.replace(target)
