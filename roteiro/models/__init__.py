"""Models: which are known, which are installed, and how one is fetched.

Read `registry.py` for the table, `folder.py` for what counts as installed, `pull.py` for how a file gets there.
"""

from roteiro.models.folder import InstalledModel, ModelFolder
from roteiro.models.pull import PullPlan, pull
from roteiro.models.registry import DEFAULT_MODEL, REGISTRY, KnownModel, known_model

__all__ = [
    "DEFAULT_MODEL",
    "REGISTRY",
    "InstalledModel",
    "KnownModel",
    "ModelFolder",
    "PullPlan",
    "known_model",
    "pull",
]
