"""From the facts of one file to its nodes: keys, parents, tests, sections.

The file's own node comes first; the others follow in source order, so a parent always stands before its children.
"""

from __future__ import annotations

import re
from functools import lru_cache

from graph.extract.facts import Definition, Facts, Section
from graph.model import Node, NodeKind, file_key, symbol_key

__all__ = ["definition_key", "is_test_path", "nodes_of"]

_TEST_FOLDERS = frozenset({"test", "tests", "testing", "__tests__", "spec", "specs", "e2e"})
_TEST_FILE = re.compile(
    r"^(test_.*|.*_test|tests|conftest)\.pyi?$|\.(test|spec)\.[cm]?[jt]sx?$|_test\.go$|_(test|spec)\.(rb|lua)$|\.bats$"
    r"|[a-z0-9](Tests?|Spec|Suite)\.(cs|php|kt|swift|scala)$"
)
_DECISION = re.compile(r"(?:^|/)(?:adrs?|decisions)/\d{1,5}[-_][^/]*\.(?:md|rst|markdown)$")


def definition_key(path: str, facts: Facts, index: int) -> str:
    """Return the key of a definition of this file."""
    definition = facts.definitions[index]
    return symbol_key(facts.language, path, definition.qualname, definition.ordinal)


def nodes_of(path: str, facts: Facts) -> tuple[Node, ...]:
    """Return the nodes of a file: itself, its definitions, the sections of its prose."""
    in_tests = is_test_path(path)
    nodes = [_file_node(path, facts, in_tests=in_tests)]
    if _DECISION.search(path):
        nodes.append(_decision_node(path, facts))
    keys = [definition_key(path, facts, index) for index in range(len(facts.definitions))]
    for index, definition in enumerate(facts.definitions):
        nodes.append(_definition_node(path, facts, keys, index, is_test=in_tests or definition.is_test))
    nodes.extend(_section_nodes(path, facts))
    return tuple(nodes)


@lru_cache(maxsize=4096)
def is_test_path(path: str) -> bool:
    """Tell whether a file holds tests or serves them, by the conventions of folders and file names."""
    *folders, name = path.split("/")
    return any(folder in _TEST_FOLDERS for folder in folders) or _TEST_FILE.search(name) is not None


def _file_node(path: str, facts: Facts, *, in_tests: bool) -> Node:
    return Node(
        key=file_key(path),
        kind=NodeKind.FILE,
        name=path.rsplit("/", 1)[-1],
        qualname=path,
        path=path,
        language=facts.language,
        start_line=0,
        end_line=facts.line_count,
        doc=facts.doc,
        is_test=in_tests,
    )


def _decision_node(path: str, facts: Facts) -> Node:
    """Return the node of a decision record.

    Its key is the file name after the number's folder, `adr:0006-one-store`, or the path where that folder is not the
    usual one: numbers alone are not unique once two folders or two drafts share one.
    """
    first = facts.sections[0] if facts.sections else None
    return Node(
        key="adr:" + re.sub(r"^adr/|\.(?:md|rst)$", "", path),
        kind=NodeKind.ADR,
        name=first.title if first else path.rsplit("/", 1)[-1],
        qualname=path,
        path=path,
        language=facts.language,
        start_line=first.start_line if first else 1,
        end_line=facts.line_count,
        name_line=first.start_line if first else 1,
        doc=facts.doc or (first.summary if first else ""),
        parent=file_key(path),
    )


def _definition_node(path: str, facts: Facts, keys: list[str], index: int, *, is_test: bool) -> Node:
    definition = facts.definitions[index]
    return Node(
        key=keys[index],
        kind=definition.kind,
        name=definition.name,
        qualname=definition.qualname,
        path=path,
        language=facts.language,
        start_line=definition.start_line,
        end_line=definition.end_line,
        name_line=definition.name_line,
        signature=definition.signature,
        doc=definition.doc,
        parent=_parent(path, facts, keys, definition),
        is_test=is_test,
        is_exported=definition.exported,
    )


def _parent(path: str, facts: Facts, keys: list[str], definition: Definition) -> str:
    """Return the key of the nearest named encloser; a definition in a lambda belongs to what is around the lambda."""
    number = definition.owner
    while number > 0:
        scope = facts.scopes[number]
        if scope.definition >= 0:
            return keys[scope.definition]
        number = scope.parent
    return file_key(path)


def _section_nodes(path: str, facts: Facts) -> list[Node]:
    nodes: list[Node] = []
    open_sections: list[tuple[int, str]] = []
    for section in facts.sections:
        while open_sections and open_sections[-1][0] >= section.level:
            open_sections.pop()
        key = f"doc:{path}#{section.anchor}"
        parent = open_sections[-1][1] if open_sections else file_key(path)
        nodes.append(_section_node(path, facts, section, key, parent))
        open_sections.append((section.level, key))
    return nodes


def _section_node(path: str, facts: Facts, section: Section, key: str, parent: str) -> Node:
    return Node(
        key=key,
        kind=NodeKind.SECTION,
        name=section.title,
        qualname=section.title,
        path=path,
        language=facts.language,
        start_line=section.start_line,
        end_line=section.end_line,
        name_line=section.start_line,
        doc=section.summary,
        parent=parent,
    )
