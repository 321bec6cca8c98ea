"""What constrains the next token: the format of the answer, and the call that is being written.

Two phases: while a model thinks nothing does; then the grammar of the answer's format. A call is held once it is
open, first to a head that names an offered tool, then to that tool's schema; after it the model is free again.
"""

from __future__ import annotations

from collections.abc import Callable

from serve.engine.local.ending import Ending
from serve.engine.local.grammar import Grammar
from serve.engine.local.vocabulary import Vocabulary
from serve.errors import BadRequestError
from serve.prompt.answer import AnswerReader, tool_names
from serve.prompt.callgrammar import CALL_OPENERS, XML_CLOSERS, arguments_grammar, called_tool, head_grammar
from serve.prompt.calls import CallProgress
from serve.prompt.dialects import Dialect
from serve.prompt.gbnf import Rules, literal
from serve.prompt.schema import ANY_OBJECT, value_rule
from serve.turns import AnswerFormat, GenerationRequest

__all__ = ["Guide"]


class Guide:
    """The constraint of one answer. `follow` it after every piece that the reader was fed; `close` it at the end.

    Raises:
        BadRequestError: the format's schema cannot be held; names keyword and path.
    """

    def __init__(
        self, vocabulary: Vocabulary, request: GenerationRequest, dialect: Dialect, note: Callable[[str], None]
    ) -> None:
        self.grammar: Grammar | None = None
        self.ending: Ending | None = None
        """How the document of the grammar ends; None where nothing is held or the end is not the grammar's."""
        self.was_cut = False
        """Whether a document was brought to its end since the tokens ran out."""
        self._vocabulary = vocabulary
        self._dialect = dialect
        self._note = note
        self._tools = {name: tool for tool in request.tools for name in tool_names(tool)}
        choice = request.tool_choice
        self._is_demanded = choice.kind in {"required", "named"}
        self._names = [
            name for name, tool in self._tools.items() if not choice.names or {name, tool.name} & set(choice.names)
        ]
        self._may_call = bool(self._tools) and choice.kind != "none"
        self._document = self._format = ""
        if request.format and not self._is_demanded:
            self._document, self._format = self._format_grammars(request.format)
        self._step = ""
        """What the grammar is for: `format`, `head`, or `arguments`."""
        if self._format:
            Grammar(vocabulary, self._format, _param(request.format)).close()  # refused now, not in mid-answer

    @property
    def is_whole(self) -> bool:
        """Whether the format's document is whole, so that nothing could follow but the end."""
        return self._step == "format" and self.ending is not None and self.ending.is_whole

    def took(self, token: int) -> None:
        """Learn of a token that was drawn."""
        if self.ending is not None:
            self.ending.follow(token)
            self.was_cut = self.was_cut or self.ending.is_landing

    def follow(self, reader: AnswerReader) -> None:
        """Put the grammar in place that the text so far asks for."""
        call = reader.call if self._may_call else None
        if call is not None and (call.is_certain or self._is_demanded):
            self._follow_call(call)
        elif self._step in {"head", "arguments"}:
            self._set("", None)
        elif self._format and reader.is_answering and not self._step:
            self._set("format", self._format)

    def begin(self, *, is_thinking: bool) -> None:
        """Put the grammar in place for the first token, unless the model thinks first."""
        if self._format and not is_thinking:
            self._set("format", self._format)

    def close(self) -> None:
        """Free what is in place."""
        if self.grammar is not None:
            self.grammar.close()
            self.grammar = None
        if self.ending is not None and self.ending.left_loops:
            self._note("The answer had begun to repeat itself; its string, list or object was closed.")
        self.ending = None

    def _follow_call(self, call: CallProgress) -> None:
        if call.is_whole or self._step == "arguments":
            return
        name = call.name if call.name is not None else called_tool(self._dialect, call.text)
        if name is not None:
            written = call.text if call.name is not None else ""
            self._set("arguments", arguments_grammar(self._dialect, self._tools.get(name), self._note), written)
        elif self._step != "head" and self._holds_head(call):
            self._set("head", head_grammar(self._dialect, self._names), call.text)

    def _holds_head(self, call: CallProgress) -> bool:
        """Say whether a head's form is known: of a demanded call, and of calls in tags."""
        return self._is_demanded or (call.opener == CALL_OPENERS[self._dialect] == "<tool_call>")

    def _set(self, step: str, text: str | None, written: str = "") -> None:
        self.close()
        self._step = step
        if text is None:
            return
        try:
            self.grammar = Grammar(self._vocabulary, text, "tools" if step != "format" else "response_format")
        except BadRequestError as error:
            self._note(f"This call is not held to its schema: {error.message}")
            return
        if not self.grammar.accept_text(written):
            self._note(f"This call is not held to its schema, since it began otherwise: {written[:80]!r}")
            self.close()
            return
        if step != "head":
            self._see_end(self._document if step == "format" else text, written)

    def _see_end(self, text: str, written: str) -> None:
        is_xml = self._dialect is Dialect.QWEN_XML and self._step == "arguments"
        try:
            self.ending = Ending(self._vocabulary, text, XML_CLOSERS if is_xml else ())
        except ValueError as error:
            self._note(f"The end of this answer is not looked after: {error}.")
            return
        self.ending.follow_text(written)

    def _format_grammars(self, wanted: AnswerFormat) -> tuple[str, str]:
        """Return the grammar of the document, and that of an answer: the document or the opener of a call."""
        rules = Rules()
        body = ANY_OBJECT
        if wanted.kind == "json_schema":
            body = f"ws {value_rule(bytes(wanted.schema), wanted.path, rules)}"
        document = rules.text(body)
        if not self._may_call:
            return document, document
        opener = CALL_OPENERS[self._dialect] or '{"name": "'
        return document, rules.text(f"({body}) | ws {literal(opener)}")


def _param(wanted: AnswerFormat | None) -> str:
    return wanted.path if wanted else "response_format"
