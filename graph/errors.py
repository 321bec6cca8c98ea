"""What can go wrong on floor 1. Each class says who can act; a message says what is wrong, what was found, what to do.

GraphError
├── RootError          the person: this folder cannot be analysed (missing, not a folder, git refuses it)
├── PathError          the caller: a path outside the root, or one the index does not hold
├── KeyNotFoundError   the caller: no node has this key; carries the nearest keys
├── ArgumentError      the caller: an argument of a tool is unknown or out of range; carries its name
├── StoreError         the person: the store cannot be used
│   ├── StoreCorruptError   ... damaged: `roteiro sync --rebuild` replaces it
│   └── StoreNewerError     ... written by a newer Roteiro: nothing is touched
└── GrammarError       the installer: a tree-sitter grammar is missing; names the package
"""

from graph.visible import visible

__all__ = [
    "ArgumentError",
    "GrammarError",
    "GraphError",
    "KeyNotFoundError",
    "PathError",
    "RootError",
    "StoreCorruptError",
    "StoreError",
    "StoreNewerError",
]


class GraphError(Exception):
    """The root of this tree; its text is fit to be shown to a person or a model.

    `cure` is the command that mends it, where one command does.
    """

    def __init__(self, message: str = "", *, cure: str = "") -> None:
        self.cure = cure
        super().__init__(message)


class RootError(GraphError):
    """This folder cannot be analysed."""


class PathError(GraphError):
    """A path that lies outside the root or that the index does not hold."""


class KeyNotFoundError(GraphError):
    """No node has this key."""

    def __init__(self, key: str, nearest: tuple[str, ...] = ()) -> None:
        self.key = key
        self.nearest = nearest
        near = f" Nearest: {', '.join(map(visible, nearest))}." if nearest else ""
        super().__init__(f"no symbol {key!r} in the graph.{near} Use `search` to find the key of a symbol.")


class ArgumentError(GraphError):
    """An argument of a tool is unknown, missing or out of range."""

    def __init__(self, argument: str, message: str) -> None:
        self.argument = argument
        super().__init__(message)


class StoreError(GraphError):
    """The store cannot be used."""


class StoreCorruptError(StoreError):
    """The store is damaged; it can be rebuilt from the files at any time."""


class StoreNewerError(StoreError):
    """The store was written by a newer Roteiro."""


class GrammarError(GraphError):
    """A tree-sitter grammar is not installed."""
