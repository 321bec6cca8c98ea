"""A model's own chat template, run as what it is: a program that came with a download.

It runs in jinja2's immutable sandbox with the functions that templates expect, bounded in steps, time and size, and it
sees messages only as marked content. Its own refusals are passed on in its own words.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from datetime import datetime
from typing import Any, NoReturn, cast

import jinja2
from jinja2 import nodes
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.visitor import NodeTransformer

from serve.errors import EngineError, TemplateRefusedError
from serve.prompt.content import Marked, RawJson, unmarked
from serve.prompt.growth import FILTERS, MAX_CHARACTERS, TooMuchError, check_method, check_operation

__all__ = ["CHATML", "ChatTemplate"]

CHATML = (
    "{% for message in messages %}{{ '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)
"""For models that come without a template; the commonest form there is."""

_MAX_STEPS = 1_000_000
"""Loop rounds and calls of one rendering; a conversation of 10,000 turns needs about 100,000."""
_MAX_SECONDS = 5.0


class _RefusedError(Exception):
    """The template called `raise_exception`."""


class _Budget:
    """What is left of a rendering's steps, time and text."""

    def __init__(self) -> None:
        self._steps = _MAX_STEPS
        self._characters = MAX_CHARACTERS
        self._end = time.monotonic() + _MAX_SECONDS

    def take(self) -> None:
        """Count one step."""
        self._steps -= 1
        if self._steps < 0 or time.monotonic() > self._end:
            raise TooMuchError

    def print(self, characters: int) -> None:
        """Count what is printed."""
        self.take()
        self._characters -= characters
        if self._characters < 0:
            raise TooMuchError


_budget: ContextVar[_Budget] = ContextVar("template_budget")


def _bounded(items: Iterable[object]) -> Iterator[object]:
    budget = _budget.get()
    for item in items:
        budget.take()
        yield item


def _printed(value: object) -> str:
    """Return the text of what a template prints, counted, also inside of macros and blocks that are only captured."""
    text = value if isinstance(value, str) else str(value)
    budget = _budget.get(None)  # a constant is printed when the template is compiled
    if budget is not None:
        budget.print(len(text))
    return text


class _WithoutTilde(NodeTransformer):
    """Puts a filter of ours where texts are joined by `~`, which the sandbox does not intercept."""

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:  # noqa: N802 - jinja2 calls it by the node's name
        """Return the filter."""
        self.generic_visit(node)
        listed = nodes.List(node.nodes, lineno=node.lineno)
        return nodes.Filter(listed, "concat_", [], [], None, None, lineno=node.lineno)


class _Environment(ImmutableSandboxedEnvironment):
    """The sandbox, with every loop and every call counted and no way to blow up a string."""

    intercepted_binops = frozenset({"*", "**", "%", "+"})
    _UNUSED = ("center", "format", "pprint", "urlize", "wordwrap", "xmlattr")
    """Filters by which text grows and that no template was seen to use."""
    _GROWING = frozenset({"center", "expandtabs", "format", "format_map", "ljust", "rjust", "zfill"})

    def __init__(self) -> None:
        super().__init__(
            trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"], finalize=_printed
        )
        filters: dict[str, Any] = self.filters
        filters.update(FILTERS, bounded_=_bounded, tojson=_tojson)
        for name in self._UNUSED:
            del filters[name]
        names: dict[str, Any] = self.globals
        names.update(raise_exception=_raise_exception, strftime_now=_strftime_now)

    def _generate(self, source: nodes.Template, *args: Any, **kwargs: Any) -> str:
        """Compile, after every loop of the template was made to count its rounds."""
        for loop in list(source.find_all(nodes.For)):
            loop.iter = nodes.Filter(loop.iter, "bounded_", [], [], None, None, lineno=loop.lineno)
        return super()._generate(_WithoutTilde().visit(source), *args, **kwargs)

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        return not (isinstance(obj, str) and attr in self._GROWING) and super().is_safe_attribute(obj, attr, value)

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """Call, counted."""
        _budget.get().take()
        check_method(args[1], args[2:])
        return super().call(*args, **kwargs)

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        """Calculate, unless the result could be huge."""
        check_operation(operator, left, right)
        return super().call_binop(context, operator, left, right)


class ChatTemplate:
    """A compiled chat template.

    Raises:
        EngineError: the source is no template that jinja2 can read.
    """

    def __init__(self, source: str, bos_token: str = "", eos_token: str = "") -> None:
        self.source = source
        self._tokens = {"bos_token": bos_token, "eos_token": eos_token}
        try:
            self._template = _Environment().from_string(source)
        except (jinja2.TemplateError, RecursionError) as error:
            raise EngineError(
                f"The chat template of this model cannot be read: {error}. Take another file of this model."
            ) from error

    def render(self, messages: Sequence[Mapping[str, object]], *, variables: Mapping[str, object] | None = None) -> str:
        """Return the prompt, with the assistant's turn opened; `variables` are further names that the template sees.

        Raises:
            TemplateRefusedError: with the template's own sentence, or what went wrong inside it.
        """
        token = _budget.set(_Budget())
        names: dict[str, object] = {**(variables or {}), **self._tokens, "add_generation_prompt": True}
        try:
            text = self._template.render(names, messages=messages)
        except _RefusedError as error:
            raise TemplateRefusedError(str(error), param="messages", code="template_refused") from error
        except (TooMuchError, RecursionError, MemoryError) as error:
            raise TemplateRefusedError(
                f"The chat template of this model did not come to an end within {_MAX_STEPS:,} steps,"
                f" {_MAX_SECONDS:.0f} s and {MAX_CHARACTERS:,} characters. Take another file of this model.",
                code="template_refused",
            ) from error
        except Exception as error:
            raise TemplateRefusedError(
                f"The chat template of this model failed: {type(error).__name__}: {error}",
                param="messages",
                code="template_refused",
            ) from error
        finally:
            _budget.reset(token)
        return text


def _raise_exception(sentence: object = "") -> NoReturn:
    raise _RefusedError(str(unmarked(sentence)))


def _strftime_now(layout: str) -> str:
    return datetime.now().astimezone().strftime(layout)


def _tojson(value: object, indent: int | None = None, **options: object) -> str:
    """Print JSON as transformers does: no escaping for HTML, and none of characters beyond ASCII."""
    if isinstance(value, RawJson):
        return value.as_marked()
    separators = cast("Sequence[str] | None", options.get("separators"))
    text = json.dumps(
        unmarked(value),
        ensure_ascii=bool(options.get("ensure_ascii", False)),
        indent=indent,
        separators=(str(separators[0]), str(separators[1])) if separators else None,
        sort_keys=bool(options.get("sort_keys", False)),
    )
    owner = next(_marked_in(value), None)
    return owner.derive(text) if owner is not None else text


def _marked_in(value: object) -> Iterator[Marked]:
    match value:
        case Marked():
            yield value
        case Mapping():
            for key, one in cast("Mapping[object, object]", value).items():
                yield from _marked_in(key)
                yield from _marked_in(one)
        case list() | tuple():
            for one in cast("Sequence[object]", value):
                yield from _marked_in(one)
        case _:
            return
