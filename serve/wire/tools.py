"""Tools as clients bring them, on both OpenAI APIs, decoded to `ToolSpec` and `ToolChoice` under the limits.

The limits bound what a caller can make us allocate; an array past them is refused, never cut.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec
from msgspec import Struct

from serve.errors import BadRequestError
from serve.settings import ServeSettings
from serve.turns import ToolChoice, ToolSpec
from serve.wire.fields import Field, shorten

__all__ = ["HOSTED_TOOLS", "Toolbox", "decode_choice", "decode_tools"]

HOSTED_TOOLS = frozenset(
    {
        "apply_patch",
        "code_interpreter",
        "computer",
        "computer_use_preview",
        "file_search",
        "image_generation",
        "local_shell",
        "mcp",
        "programmatic_tool_calling",
        "shell",
        "tool_search",
        "web_search",
        "web_search_preview",
    }
)
"""Kinds that the API's own service runs; dated ones (`web_search_2025_08_26`) start with one of these."""


class Toolbox(Struct, frozen=True):
    """The tools after decoding, and which of them may be called how."""

    tools: tuple[ToolSpec, ...]
    choice: ToolChoice


def decode_tools(arrays: Iterable[Field], settings: ServeSettings) -> tuple[ToolSpec, ...]:
    """Return the tools of these arrays, namespaces flattened and hosted kinds left out; raises past a limit."""
    tools: list[ToolSpec] = []
    raw_bytes = 0
    for array in arrays:
        raw_bytes += len(msgspec.json.encode(array.value)) if array.is_given else 0
        if raw_bytes > settings.max_tools_bytes:
            raise BadRequestError(
                f"{array.path} has {raw_bytes} bytes of JSON; the limit is {settings.max_tools_bytes} "
                "(`max_tools_bytes` under [serve]).",
                param=array.path,
                code="tools_too_large",
            )
        for item in array.items():
            tools.extend(_tool(item))
    if len(tools) > settings.max_tools:
        raise BadRequestError(
            f"tools holds {len(tools)} tools; the limit is {settings.max_tools} (`max_tools` under [serve]).",
            param="tools",
            code="too_many_tools",
        )
    _refuse_duplicates(tools)
    return tuple(tools)


def _tool(item: Field, namespace: str | None = None) -> Iterator[ToolSpec]:
    kind = item.get("type").text()
    if kind == "function":
        yield _function(_inner(item, "function"), namespace)
    elif kind == "custom":
        inner = _inner(item, "custom")
        yield ToolSpec(
            name=inner.get("name").name(),
            description=inner.get("description").text_or(""),
            namespace=namespace,
            is_free_text=True,
        )
    elif kind == "namespace" and namespace is None:
        name = item.get("name").name()
        for inner in item.get("tools").items():
            yield from _tool(inner, name)
    elif not any(kind.startswith(hosted) for hosted in HOSTED_TOOLS):
        raise BadRequestError(
            f"{item.path}.type {shorten(kind)} is not known here; send function, custom or namespace tools.",
            param=f"{item.path}.type",
        )


def _inner(item: Field, name: str) -> Field:
    """Return where the definition stands: Chat nests it, Responses does not."""
    nested = item.get(name)
    return nested if nested.is_given else item


def _function(item: Field, namespace: str | None) -> ToolSpec:
    parameters = item.get("parameters")
    spec = ToolSpec(
        name=item.get("name").name(),
        description=item.get("description").text_or(""),
        namespace=namespace,
    )
    if not parameters.is_given:
        return spec
    return msgspec.structs.replace(spec, parameters=msgspec.Raw(msgspec.json.encode(parameters.members())))


def _refuse_duplicates(tools: list[ToolSpec]) -> None:
    seen: set[tuple[str | None, str]] = set()
    for tool in tools:
        if (tool.namespace, tool.name) in seen:
            raise BadRequestError(f"The tool {shorten(tool.name)} is there twice; names must differ.", param="tools")
        seen.add((tool.namespace, tool.name))


def decode_choice(field: Field, tools: tuple[ToolSpec, ...]) -> Toolbox:
    """Return the tools that may be called and how; raises when a name is not among them."""
    if isinstance(field.value, str):
        return Toolbox(tools, _plain_choice(field, tools))
    if not field.is_given:
        return Toolbox(tools, ToolChoice())
    kind = field.get("type").text()
    if kind in {"function", "custom"}:
        name = _inner(field, kind).get("name")
        _must_exist(name, tools)
        return Toolbox(tools, ToolChoice(kind="named", names=(name.text(),)))
    if kind == "allowed_tools":
        return _allowed(_inner(field, "allowed_tools"), tools)
    raise BadRequestError(
        f"{field.path}.type {shorten(kind)} cannot be chosen here; choose a function or custom tool.",
        param=f"{field.path}.type",
    )


def _plain_choice(field: Field, tools: tuple[ToolSpec, ...]) -> ToolChoice:
    match field.choice("auto", "none", "required"):
        case "none":
            return ToolChoice(kind="none")
        case "required":
            if not tools:
                raise BadRequestError(f"{field.path} is required, but there are no tools.", param=field.path)
            return ToolChoice(kind="required")
        case _:
            return ToolChoice()


def _allowed(field: Field, tools: tuple[ToolSpec, ...]) -> Toolbox:
    names: list[str] = []
    for item in field.get("tools").items():
        kind = item.get("type").text()
        name = _inner(item, kind).get("name")
        _must_exist(name, tools)
        names.append(name.text())
    if not names:
        raise BadRequestError(f"{field.path}.tools must name at least one tool.", param=f"{field.path}.tools")
    if field.get("mode").choice("auto", "required") == "required":
        return Toolbox(tools, ToolChoice(kind="named", names=tuple(names)))
    # "auto" among some: whatever the engine can constrain, a tool that is not offered is not called.
    return Toolbox(tuple(tool for tool in tools if tool.name in names), ToolChoice())


def _must_exist(name: Field, tools: tuple[ToolSpec, ...]) -> None:
    if name.name() not in {tool.name for tool in tools}:
        listed = ", ".join(tool.name for tool in tools[:20]) or "none"
        raise BadRequestError(
            f"{name.path} {shorten(name.text())} is no tool of this request: {listed}.", param=name.path
        )
