"""How the models of each family write a tool call: what they are told, and how a past call is written down."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["Dialect", "dialect_of"]


class Dialect(StrEnum):
    """A family's way to call a tool."""

    HERMES = "hermes"
    """JSON in `<tool_call>` tags: Qwen, Hermes, SmolLM and what imitates them; also the choice for unknown models."""
    QWEN_XML = "qwen-xml"
    """`<function=name><parameter=key>` in `<tool_call>` tags: Qwen3-Coder."""
    LLAMA3 = "llama3"
    """The whole answer is one JSON object with `name` and `parameters`."""
    MISTRAL = "mistral"
    """`[TOOL_CALLS]` and a list of JSON objects."""

    def instruction(self) -> str:
        """Return the words that tell a model how to call."""
        match self:
            case Dialect.HERMES:
                how = '<tool_call>\n{"name": "<tool>", "arguments": {"<argument>": <value>}}\n</tool_call>'
            case Dialect.QWEN_XML:
                how = (
                    "<tool_call>\n<function=tool>\n<parameter=argument>\nvalue\n</parameter>\n</function>\n</tool_call>"
                )
            case Dialect.LLAMA3:
                how = '{"name": "<tool>", "parameters": {"<argument>": <value>}}'
            case Dialect.MISTRAL:
                how = '[TOOL_CALLS][{"name": "<tool>", "arguments": {"<argument>": <value>}}]'
        return f"To call a tool, answer with nothing but:\n{how}"

    def write(self, name: str, arguments: str) -> str:
        """Return a past call; `arguments` is JSON. Qwen XML is written as Hermes, which those models read too."""
        match self:
            case Dialect.HERMES | Dialect.QWEN_XML:
                return f'<tool_call>\n{{"name": "{name}", "arguments": {arguments}}}\n</tool_call>'
            case Dialect.LLAMA3:
                return f'{{"name": "{name}", "parameters": {arguments}}}'
            case Dialect.MISTRAL:
                return f'[TOOL_CALLS][{{"name": "{name}", "arguments": {arguments}}}]'

    def opening(self, name: str = "") -> str:
        """Return the beginning of a call, with the tool's name where it is known: what a forced answer starts with."""
        match self:
            case Dialect.HERMES:
                start, end = '<tool_call>\n{"name": "', '", "arguments":'
            case Dialect.QWEN_XML:
                start, end = "<tool_call>\n<function=", ">"
            case Dialect.LLAMA3:
                start, end = '{"name": "', '", "parameters":'
            case Dialect.MISTRAL:
                start, end = '[TOOL_CALLS][{"name": "', '", "arguments":'
        return f"{start}{name}{end}" if name else start


def dialect_of(template_source: str) -> Dialect:
    """Return the dialect that a chat template teaches."""
    if "<function=" in template_source:
        return Dialect.QWEN_XML
    if "[TOOL_CALLS]" in template_source:
        return Dialect.MISTRAL
    if "<|python_tag|>" in template_source or '"parameters": dictionary' in template_source:
        return Dialect.LLAMA3
    return Dialect.HERMES
