"""Where Roteiro keeps what is not the graph: the user's settings, models, caches and logs.

The graph itself lives beside the repository (see `graph.repository`). Nothing here creates a folder; who writes does.
"""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

__all__ = ["cache_folder", "log_file", "models_folder", "servers_folder", "user_config_file"]

_APP = "roteiro"


def user_config_file() -> Path:
    """Return the user's own settings file, which need not exist; `ROTEIRO_CONFIG` names another one."""
    named = os.environ.get("ROTEIRO_CONFIG")
    return Path(named).expanduser() if named else platformdirs.user_config_path(_APP) / "config.toml"


def models_folder() -> Path:
    """Return the folder that holds downloaded models."""
    return platformdirs.user_data_path(_APP) / "models"


def cache_folder() -> Path:
    """Return the folder for what can be made again: stores of read-only repositories, engine snapshots."""
    return platformdirs.user_cache_path(_APP)


def log_file() -> Path:
    """Return the log file of the server."""
    return platformdirs.user_state_path(_APP) / "roteiro.log"


def servers_folder() -> Path:
    """Return the folder in which running servers leave word of themselves."""
    return platformdirs.user_state_path(_APP) / "servers"
