"""What `--json` prints, a type for each command: read by the generator of the schemas, and held by the tests.

Where a command prints a struct of its own (a tool's result, a sync's report), that struct stands in the table.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from graph.progress import SyncReport
from graph.tool_results import SearchHit
from graph.tools import tool_table
from roteiro.commands.welcome import Welcome
from roteiro.doctor.finding import Finding
from serve.events import Citation, Usage

__all__ = ["documents"]


class SearchDocument(Struct):
    """`search`: ranked hits."""

    results: tuple[SearchHit, ...]
    query: str
    total: int
    offset: int
    cursor: str
    note: str


class FolderUse(Struct):
    """A file or folder of Roteiro's own."""

    path: str
    bytes: int


class SkippedFile(Struct):
    """A file that was left out of the index."""

    path: str
    reason: str


class StatusDocument(Struct):
    """`status`: the index, how fresh it is, and where things are kept."""

    root: str
    is_fresh: bool
    commit: str
    built_commit: str
    changed_files: int
    is_indexed: bool
    reason: str
    counts: dict[str, int]
    search_note: str
    places: dict[str, FolderUse]
    upstreams: list[str]
    skipped: list[SkippedFile]
    """Only with `--skipped`."""


class DumpNode(Struct):
    """A node of the whole graph."""

    id: str
    kind: str
    name: str
    qualname: str
    file: str
    start_line: int
    end_line: int
    name_line: int
    language: str


class DumpEdge(Struct):
    """An edge of the whole graph, once for each of its lines."""

    src: str
    dst: str
    kind: str
    line: int
    provenance: str
    confidence: float


class DumpDocument(Struct):
    """`dump`: nodes, imports, calls."""

    nodes: list[DumpNode]
    edges: list[DumpEdge]


class AskStep(Struct):
    """A tool that was run for an answer."""

    number: int
    tool: str
    arguments: str
    summary: str
    result: str
    ms: int
    is_primed: bool


class AskDocument(Struct):
    """`ask`: the answer with what it rests on."""

    answer: str
    is_refusal: bool
    citations: list[Citation]
    steps: list[AskStep]
    usage: Usage
    ms: int
    error: str | None


class ModelRow(Struct):
    """A known or an installed model."""

    id: str
    state: str
    bytes: int
    licence: str
    summary: str
    is_default: bool
    path: str
    problem: str
    file: str = ""
    sha256: str = ""
    family: str = ""
    context_tokens: int = 0
    sources: list[str] = []


class ModelListDocument(Struct):
    """`model list`: every model of the table and every other installed one."""

    models: list[ModelRow]
    folder: str


class ModelDocument(Struct):
    """One model after something was done with it."""

    id: str
    state: str
    path: str = ""
    bytes: int = 0
    sha256: str = ""
    problem: str = ""


class ModelsDocument(Struct):
    """`model verify`: every installed model, read again."""

    models: list[ModelDocument]


class RemovedModelDocument(Struct):
    """`model remove`: the file that went, empty where it was not ours."""

    id: str
    deleted: str


class DoctorDocument(Struct):
    """`doctor`: what was looked at."""

    findings: list[Finding]
    is_well: bool


class SettingRow(Struct):
    """One setting, its value as JSON, and where it came from."""

    key: str
    value: object
    origin: str


class ConfigDocument(Struct):
    """`config`: every setting."""

    settings: list[SettingRow]
    user_file: str
    problem: str
    """What the repository's own file must not or cannot set; empty when all is well."""


class CleanDocument(Struct):
    """`clean`: what was deleted."""

    deleted: list[str]
    bytes: int


class InitFile(Struct):
    """A file that `init` wrote or deleted."""

    path: str
    action: Literal["created", "changed", "deleted"]


class InitDocument(Struct):
    """`init`: the files, and why others were left alone."""

    files: list[InitFile]
    refused: list[str]


class CompletionDocument(Struct):
    """`completion`: the script."""

    shell: str
    script: str


def documents() -> Mapping[str, type[Struct]]:
    """Return the type of what each command prints with `--json`, by its words; `mcp` speaks its own protocol."""
    tools: dict[str, type[Struct]] = {tool.name.replace("_", "-"): tool.result for tool in tool_table()}
    return {
        **tools,
        "search": SearchDocument,
        "sync": SyncReport,
        "status": StatusDocument,
        "dump": DumpDocument,
        "ask": AskDocument,
        "serve": Welcome,
        "model list": ModelListDocument,
        "model pull": ModelDocument,
        "model add": ModelDocument,
        "model remove": RemovedModelDocument,
        "model verify": ModelsDocument,
        "doctor": DoctorDocument,
        "config": ConfigDocument,
        "clean": CleanDocument,
        "init": InitDocument,
        "completion": CompletionDocument,
    }
