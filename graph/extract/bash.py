"""The facts of a shell script: its functions, its global variables and aliases, what it sources, what it runs.

A command is a call by its name: shell functions are global, so a name that the file defines means that function.
"""

from __future__ import annotations

import re

import tree_sitter_bash
from tree_sitter import Language, Node

from graph.extract.facts import Facts, ImportedName, Name
from graph.extract.outline_comments import HASHES
from graph.extract.outline_core import Defines, Outline, OutlineReader, extract_outline, reader_of
from graph.model import NodeKind

__all__ = ["extract_bash"]

_PLAIN = re.compile(r"[\w.@%+:,/~-]+")
_BESIDE = re.compile(
    r"""^"?(?:\$\(\s*dirname\s+(?:--\s+)?["']?\$(?:\{BASH_SOURCE(?:\[0\])?\}|BASH_SOURCE|\{?0\}?)["']?\s*\)"""
    r"""|\$\{(?:BASH_SOURCE(?:\[0\])?|0)%/\*\})"?/([\w.@%+:,/-]+)"?$"""
)
_NAME = re.compile(r"^[\w.:@+!?-]+$")
_ALIAS = re.compile(r"^([\w.:@+!-]+)=")
_ALL = (ImportedName("*", "*"),)
"""A sourced file runs here: all of its functions are ours."""
_MAX_COMMAND = 80


def _assignment(walk: OutlineReader, node: Node) -> None:
    """Define a variable of the whole script at its first assignment outside of functions."""
    name = node.child_by_field_name("name")
    if name is None or name.type != "variable_name" or walk.body.kind == "function":
        return
    text = walk.text(name)
    if text not in walk.body.variables and not _is_prefix(walk, node):
        walk.body.variables.add(text)
        walk.define(NodeKind.VARIABLE, name, node)


def _is_prefix(walk: OutlineReader, node: Node) -> bool:
    """Tell whether an assignment only holds for the command it stands before."""
    return node.start_byte in walk.passing


def _command(walk: OutlineReader, node: Node) -> None:
    walk.passing.update(child.start_byte for child in walk.children(node, "variable_assignment"))
    name = node.child_by_field_name("name")
    if name is None:
        return
    text = walk.text(name, _MAX_COMMAND)
    if text in ("source", "."):
        _source(walk, node)
    elif text == "alias" and walk.body.kind != "function":
        for item in node.children_by_field_name("argument"):
            if match := _ALIAS.match(walk.text(item, 200)):
                walk.define(NodeKind.VARIABLE, item, node, name=match[1], extra=("alias",))
    elif _NAME.match(text):
        walk.call(Name(text), node, name)


def _source(walk: OutlineReader, node: Node) -> None:
    arguments = node.children_by_field_name("argument")
    if not arguments:
        return
    text = walk.text(arguments[0], 400)
    plain = text.strip("\"'")
    if _PLAIN.fullmatch(plain):
        walk.imported(node, plain, "require", _ALL)
    elif match := _BESIDE.match(text):
        walk.imported(node, match[1], "require", _ALL, level=1)
    else:
        walk.imported(node, plain, "dynamic")
        walk.notes.add("a file that is sourced by a computed path was not followed")


BASH = Outline(
    language="bash",
    nodes={
        "function_definition": Defines(NodeKind.FUNCTION, opens="function"),
        "variable_assignment": _assignment,
        "command": _command,
    },
    comments=frozenset({"comment"}),
    style=HASHES,
    names=("word",),
)

_READER = reader_of(BASH, Language(tree_sitter_bash.language()))


def extract_bash(data: bytes) -> Facts:
    """Return what one shell script says; never raises, whatever the bytes are."""
    return extract_outline(_READER, data)
