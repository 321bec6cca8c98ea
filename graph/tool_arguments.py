"""What each tool may be asked: one struct a tool, which is the schema, the check and the signature at once.

The rule that must stay true: a schema is flat. No unions, no references, no optional nulls: an argument that may be
left out has a plain default, because small models and strict clients read nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, TypeVar

import msgspec
from msgspec import Meta, Struct, field

from graph.errors import ArgumentError

__all__ = [
    "CallsArguments",
    "ChangesArguments",
    "ContextArguments",
    "DebtArguments",
    "ExplainArguments",
    "ImpactArguments",
    "ListKindArguments",
    "OutlineArguments",
    "OverviewArguments",
    "PathArguments",
    "SearchArguments",
    "SourceArguments",
    "ToolArguments",
    "argument_schema",
    "argument_signature",
    "read_arguments",
]

_Key = Annotated[
    str,
    Meta(
        description="The symbol: `path#Class.method`, `path:line`, a qualified name, or a key from an earlier answer."
    ),
]
_Cursor = Annotated[str, Meta(description="The cursor that the last answer printed, for the next page.")]

_Path = Annotated[str, Meta(description="Only below this path, such as `src/app`.")]
_Base = Annotated[
    str,
    Meta(description="A commit, tag or branch to compare with; `main...` is where this branch left main."),
]

ArgumentsType = TypeVar("ArgumentsType", bound="ToolArguments")


class ToolArguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What every tool takes."""

    project: Annotated[str, Meta(description="The project, where several are served; leave it out otherwise.")] = ""


class SearchArguments(ToolArguments, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Arguments of `search`."""

    query: Annotated[str, Meta(description="A question in words, or an identifier.", min_length=1, max_length=20_000)]
    kind: Annotated[
        str, Meta(description="Only this kind: function, method, class, interface, variable, file, section.")
    ] = ""
    path: _Path = ""
    limit: Annotated[int, Meta(description="Hits on a page.", ge=1, le=50)] = 10
    cursor: _Cursor = ""


class ContextArguments(ToolArguments, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Arguments of `context`."""

    key: _Key
    budget: Annotated[int, Meta(description="The most tokens that the list may take.", ge=100, le=8_000)] = 1_500


class SourceArguments(ToolArguments, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Arguments of `source`; `key` or `path`, not both."""

    key: _Key = ""
    path: Annotated[str, Meta(description="A file, instead of `key`.")] = ""
    lines: Annotated[str, Meta(description="The lines of the file to show, such as `10-60`.")] = ""


class CallsArguments(ToolArguments, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Arguments of `callers` and `callees`."""

    key: _Key
    depth: Annotated[int, Meta(description="How many calls away.", ge=1, le=5)] = 1
    include_inferred: Annotated[
        bool, Meta(description="Also list candidates that match by name only, labelled so.")
    ] = False
    limit: Annotated[int, Meta(description="Symbols on a page.", ge=1, le=200)] = 20
    cursor: _Cursor = ""


class PathArguments(ToolArguments, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Arguments of `path`."""

    start: _Key = field(name="from")
    end: Annotated[str, Meta(description="The other symbol, written in the same ways.")] = field(name="to")
    max_hops: Annotated[int, Meta(description="The longest path to look for.", ge=1, le=12)] = 8


class OverviewArguments(ToolArguments, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Arguments of `overview`: none of its own."""


class ImpactArguments(ToolArguments, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Arguments of `impact`; `key` or `base`, not both."""

    key: _Key = ""
    base: _Base = ""
    depth: Annotated[int, Meta(description="How many steps away.", ge=1, le=10)] = 3
    limit: Annotated[int, Meta(description="Symbols on a page.", ge=1, le=200)] = 50
    cursor: _Cursor = ""


class ExplainArguments(ToolArguments, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Arguments of `explain`."""

    key: _Key
    limit: Annotated[int, Meta(description="Neighbours of each kind on a page.", ge=1, le=100)] = 8
    cursor: _Cursor = ""


class OutlineArguments(ToolArguments, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Arguments of `outline`."""

    path: Annotated[str, Meta(description="A file, a folder, or a class as `path#Class`.", min_length=1)]
    limit: Annotated[int, Meta(description="Symbols on a page.", ge=1, le=500)] = 100
    cursor: _Cursor = ""


class ListKindArguments(ToolArguments, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Arguments of `list_kind`."""

    kind: Annotated[
        str,
        Meta(description="class, interface, struct, enum, function, method, variable, type, test, section, adr, file."),
    ]
    path: _Path = ""
    limit: Annotated[int, Meta(description="Symbols on a page.", ge=1, le=500)] = 50
    cursor: _Cursor = ""


class DebtArguments(ToolArguments, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Arguments of `debt`."""

    categories: Annotated[str, Meta(description="Some of TODO, FIXME, HACK, XXX, separated by commas.")] = ""
    path: _Path = ""
    limit: Annotated[int, Meta(description="Markers on a page.", ge=1, le=500)] = 50
    cursor: _Cursor = ""


class ChangesArguments(ToolArguments, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Arguments of `changes`."""

    base: _Base
    path: _Path = ""
    limit: Annotated[int, Meta(description="Symbols on a page.", ge=1, le=500)] = 50
    cursor: _Cursor = ""


def read_arguments(tool: str, arguments_type: type[ArgumentsType], given: Mapping[str, object]) -> ArgumentsType:
    """Return the arguments as their struct. Nulls count as left out; numbers written as text are read as numbers.

    Raises:
        ArgumentError: one is unknown, missing, of a wrong type or out of range; names it, what was found, what works.
    """
    known = [name.encode_name for name in msgspec.structs.fields(arguments_type)]
    for name in given:
        if name not in known:
            message = f"`{tool}` has no argument `{name}`. It takes: {argument_signature(tool, arguments_type)}."
            raise ArgumentError(name, message)
    present = {name: value for name, value in given.items() if value is not None}
    for fact in msgspec.structs.fields(arguments_type):
        if fact.required and fact.encode_name not in present:
            message = f"`{tool}` needs `{fact.encode_name}`. Use: {argument_signature(tool, arguments_type)}."
            raise ArgumentError(fact.encode_name, message)
    try:
        return msgspec.convert(present, arguments_type, strict=False)
    except msgspec.ValidationError as error:
        raise _explained(tool, arguments_type, present, str(error)) from None


def argument_schema(arguments_type: type[ToolArguments]) -> dict[str, object]:
    """Return the JSON schema of a tool's arguments: flat, closed, `project` last."""
    return {
        "type": "object",
        "properties": _properties(arguments_type),
        "required": _required(arguments_type),
        "additionalProperties": False,
    }


def argument_signature(tool: str, arguments_type: type[ToolArguments]) -> str:
    """Return a tool on one line: `search(query: str, kind?: str, limit?: int 1..50)`; `project` is left out."""
    required = _required(arguments_type)
    parts = [
        f"{name}{'' if name in required else '?'}: {_type_words(declared)}"
        for name, declared in _properties(arguments_type).items()
        if name != "project"
    ]
    return f"{tool}({', '.join(parts)})"


def _properties(arguments_type: type[ToolArguments]) -> dict[str, dict[str, object]]:
    components = msgspec.json.schema_components([arguments_type])[1]
    declared: dict[str, dict[str, object]] = components[arguments_type.__name__]["properties"]
    # An empty default says nothing to a reader; `required` says that it may be left out.
    return {
        name: {key: value for key, value in declared[name].items() if value != ""} for name in _in_order(arguments_type)
    }


def _required(arguments_type: type[ToolArguments]) -> list[str]:
    return [fact.encode_name for fact in msgspec.structs.fields(arguments_type) if fact.required]


def _in_order(arguments_type: type[ToolArguments]) -> list[str]:
    names = [fact.encode_name for fact in msgspec.structs.fields(arguments_type)]
    return [*(name for name in names if name != "project"), "project"]


def _type_words(declared: Mapping[str, object]) -> str:
    word = {"string": "str", "integer": "int", "boolean": "bool"}[str(declared["type"])]
    bounds = f" {declared['minimum']}..{declared['maximum']}" if "minimum" in declared else ""
    return word + bounds


def _explained(
    tool: str, arguments_type: type[ToolArguments], given: Mapping[str, object], message: str
) -> ArgumentError:
    """Turn a validation message into one that names the argument, what was found and what would have worked."""
    place = re.search(r"`\$\.(\w+)", message)
    name = place[1] if place else ""
    found = repr(given.get(name))
    shown = found if len(found) <= 80 else f"{found[:80]}…"
    expected = message.partition(" - at ")[0]
    return ArgumentError(
        name,
        f"`{name}` of `{tool}`: {expected[:1].lower()}{expected[1:]}; found {shown}. "
        f"Use: {argument_signature(tool, arguments_type)}.",
    )
