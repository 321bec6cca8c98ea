"""What other files can see of a configuration file: its bytes, and apart from them what it declares to files far away.

A `package.json` is read by the files below it, which listen for its path. What it is called, and of which folders it
makes a workspace, decides where any file of the repository finds a package, so that has a signal of its own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Container
from collections.abc import Set as AbstractSet

from graph.resolve.packages_javascript import read_package
from graph.resolve.signals import module_signal

__all__ = ["configuration_interface", "declared_signals", "met_signals"]

_PACKAGE = "package.json"


def configuration_interface(path: str, blob: str, data: bytes) -> str:
    """Return the interface of a configuration file: its blob, and behind a space what it declares to files far away."""
    if path.rpartition("/")[2] != _PACKAGE:
        return blob
    package = read_package("", data.decode("utf-8", "replace"))
    declared = repr((package.name, package.workspaces) if package is not None else ())
    return f"{blob} {hashlib.blake2b(declared.encode('utf-8', 'replace'), digest_size=8).hexdigest()}"


def declared_signals(path: str, before: str, after: str) -> tuple[str, ...]:
    """Return the signals of a configuration file that stayed, by its interfaces before and after."""
    if path.rpartition("/")[2] != _PACKAGE or before.partition(" ")[2] == after.partition(" ")[2]:
        return ()
    return (module_signal("package"),)


def met_signals(path: str, folders: AbstractSet[str], configurations: Container[str]) -> tuple[str, ...]:
    """Return the signals of a source file that came or went as the only one near a configuration.

    A package counts with its first source file: `folders` are those of the files that stayed.
    """
    parents = path.split("/")[:-1]
    met = ("/".join(parents[:depth]) for depth in range(1, len(parents) + 1))
    if any(folder not in folders and f"{folder}/{_PACKAGE}" in configurations for folder in met):
        return (module_signal("package"),)
    return ()
