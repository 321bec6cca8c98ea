"""Whether the settings can be read, and which one is at fault when they cannot."""

from __future__ import annotations

import shlex

from roteiro.config import Config
from roteiro.doctor.finding import Finding, command
from roteiro.errors import ConfigError
from roteiro.folders import user_config_file

__all__ = ["mistaken_setting", "settings_read"]

_ENVIRONMENT = "environment "


def settings_read(config: Config) -> Finding:
    """Return that all is well, and where a person's own settings are."""
    return Finding(check="settings", level="ok", message=f"read, yours are in {config.user_file}")


def mistaken_setting(error: ConfigError) -> Finding:
    """Return the one mistake that stopped the reading; without settings nothing else can be judged."""
    return Finding(check="settings", level="problem", message=str(error), cure=_cure(error))


def _cure(error: ConfigError) -> str:
    if error.origin.startswith(_ENVIRONMENT):
        return f"unset {error.origin.removeprefix(_ENVIRONMENT)}"
    if error.key and error.origin == str(user_config_file()):
        return command("config", "--unset", error.key)
    # A file that cannot be read, or one of the repository: set aside whole, which loses nothing.
    place = shlex.quote(error.origin)
    return f"mv {place} {place}.off"
