"""Settings: from the user's file, the repository's own file (limited by trust), the environment and flags.

Read `load.py` for the order, `keys.py` for what can be set, `trust.py` for what a repository may say, `user_file.py`
for how a command changes the user's own file.
"""

from roteiro.config.load import Config, Flag, load_config
from roteiro.config.settings import LogSettings, ModelSettings

__all__ = ["Config", "Flag", "LogSettings", "ModelSettings", "load_config"]
