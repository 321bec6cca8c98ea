"""One loaded model answering one request at a time: prefill along the schedule, draw, read, emit. No threads here.

`abort` is the only thing another thread may call; everything else belongs to the thread that generates, but for
`count`, which touches no context.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec.structs import replace

from serve.engine.local.context import Aborted, Context
from serve.engine.local.gguf import memory_bytes
from serve.engine.local.machine import physical_cores
from serve.engine.local.native import NativeModel
from serve.engine.local.prompt import Prompt, Prompter
from serve.engine.local.sampler import Defaults, Sampler
from serve.engine.local.schedule import PREFILL_STEP, reusable
from serve.engine.local.snapshots import Snapshots
from serve.errors import ContextLengthError
from serve.events import Event, Finished, FinishReason, Heartbeat, Started, Usage
from serve.prompt.answer import AnswerReader
from serve.prompt.conversation import Conversation
from serve.prompt.template import CHATML, ChatTemplate
from serve.prompt.toolprompt import ToolLimits
from serve.settings import EngineSettings
from serve.turns import GenerationRequest

__all__ = ["Core"]

_RESERVED_TOKENS = 2_048
"""What an answer gets at first: some clients always ask for 32,000, and a window that large would be slow to make."""
_HEADROOM_TOKENS = 16
_NEVER = -1e9
"""A logit bias that no logit outweighs."""
_SNAPSHOT_BYTES = 256 * 1024 * 1024
_SHORTEST_SNAPSHOT_TOKENS = 64
_SHORTEST_MEASURE_TOKENS = 64
_FALLBACK_KV_SHARE = 4
"""A quarter of the machine's memory, when `kv_mb` says nothing."""

Emit = Callable[[Sequence[Event]], None]


class Core:
    """A model, its prompts and its context.

    Raises:
        EngineError: the model cannot be loaded or run here; says what to do.
    """

    def __init__(self, path: Path, model: str, settings: EngineSettings, limits: ToolLimits) -> None:
        self._name = model
        self._model = NativeModel(path, settings.gpu_layers)
        vocabulary = self._model.vocabulary
        template = ChatTemplate(
            self._model.metadata("tokenizer.chat_template") or CHATML,
            vocabulary.text_of(vocabulary.bos),
            vocabulary.text_of(vocabulary.eos),
        )
        self._prompter = Prompter(Conversation(template), vocabulary, limits)
        self._defaults = _defaults(self._model.metadata)
        self.window_tokens = _window_tokens(self._model, settings)
        self._context = Context(self._model, self.window_tokens, settings.threads or physical_cores())
        self._snapshots = Snapshots(_SNAPSHOT_BYTES)
        self.prefill_tokens_per_s = self._measure()

    def describe(self) -> str:
        """Return the model in a few words."""
        return self._model.describe()

    def count(self, request: GenerationRequest) -> int:
        """Return the prompt tokens of a request."""
        return len(self._prompter.prompt(request).tokens)

    def abort(self) -> None:
        """Stop what runs; from any thread."""
        self._context.abort()

    def allow(self) -> None:
        """Take back `abort`."""
        self._context.allow()

    def warm(self, request: GenerationRequest) -> None:
        """Evaluate the preamble of a request, so that the next one of this head starts after it."""
        prompt = self._prompter.preamble(request)
        if prompt.tokens and len(prompt.tokens) < self.window_tokens:
            self._prefill(prompt, lambda _: None, is_whole=False)

    def generate(self, request: GenerationRequest, emit: Emit) -> None:
        """Emit the events of an answer, the last of them Finished.

        Raises:
            ServeError: before the first token only: the prompt is too long, refused, or there is no memory.
            Aborted: `abort` was called.
        """
        prompt = self._prompter.prompt(request)
        size = len(prompt.tokens)
        if size + 1 > self.window_tokens:
            raise ContextLengthError(size, self.window_tokens)
        emit([Started(self._name, request.mode, prompt.tool_detail)])
        cached, kept = self._prefill(prompt, emit, is_whole=True, answer_tokens=request.sampling.max_tokens)
        budget = self.window_tokens - size
        if request.sampling.max_tokens is not None:
            budget = min(budget, request.sampling.max_tokens)
        reader = AnswerReader(request, opens_thinking=prompt.opens_thinking)
        forced = "" if prompt.opens_thinking else self._prompter.forced(request)
        begun = self._begin(forced, reader, budget, emit)
        reason, made, thought = self._decode(request, reader, begun, budget, emit)
        usage = Usage(
            prompt_tokens=size,
            completion_tokens=made,
            reasoning_tokens=thought,
            cached_tokens=cached,
            cache_creation_tokens=kept,
        )
        rest = reader.end()
        last = Finished(reason=reader.reason(reason), usage=usage, stop_sequence=reader.stop_sequence)
        emit([*rest, last])

    def close(self) -> None:
        """Free context and model."""
        self._context.close()
        self._model.close()

    def _begin(self, text: str, reader: AnswerReader, budget: int, emit: Emit) -> int:
        """Put words into the model's mouth: the opening of a call that it must make. Return their tokens."""
        tokens = self._model.vocabulary.tokenize(text, control=True)
        if not tokens or len(tokens) >= budget:
            return 0
        emit(reader.feed_text(text))
        self._grow(len(self._context.tokens) + len(tokens))
        for at in range(0, len(tokens), PREFILL_STEP):
            self._context.evaluate(tokens[at : at + PREFILL_STEP])
        return len(tokens)

    def _decode(
        self, request: GenerationRequest, reader: AnswerReader, made: int, budget: int, emit: Emit
    ) -> tuple[FinishReason, int, int]:
        """Draw tokens until the answer ends; return why, how many, and how many of them were reasoning."""
        context, vocabulary = self._context, self._model.vocabulary
        banned = tuple((token, _NEVER) for token in self._prompter.banned(request))
        sampling = replace(request.sampling, logit_bias=request.sampling.logit_bias + banned)
        sampler = Sampler(sampling, request.mode, self._defaults, vocabulary.size)
        thought = 0
        try:
            while made < budget:
                token = sampler.draw(context.handle)
                made += 1
                if vocabulary.is_end(token):
                    return FinishReason.STOP, made, thought
                was_thinking = reader.is_thinking
                events = reader.feed(vocabulary.piece(token))
                thought += was_thinking or reader.is_thinking
                if events:
                    emit(events)
                if reader.is_complete:
                    return FinishReason.STOP, made, thought
                if context.is_aborted:
                    raise Aborted
                if made < budget:
                    self._grow(len(context.tokens) + 1)
                    context.evaluate([token])
            return FinishReason.LENGTH, made, thought
        finally:
            sampler.close()

    def _grow(self, needed: int) -> None:
        if needed > self._context.size_tokens:
            self._context.reserve(min(needed + _RESERVED_TOKENS, self.window_tokens))

    def _prefill(
        self, prompt: Prompt, emit: Emit, *, is_whole: bool, answer_tokens: int | None = None
    ) -> tuple[int, int]:
        """Evaluate a prompt; return the tokens that were there already and the tokens snapshotted.

        A prompt that is not whole (a preamble) needs no logits, so all of it may be there already.
        """
        total = len(prompt.tokens)
        ends = prompt.ends if is_whole else (*prompt.ends, total + 1)
        start = self._reuse(prompt.tokens, ends)
        self._context.reserve(min(total + self._reserved(answer_tokens) + _HEADROOM_TOKENS, self.window_tokens))
        start = len(self._context.tokens)
        begun = time.perf_counter()
        kept = at = start
        emit([Heartbeat(start, total)])
        for end in (end for end in prompt.ends if end > start):
            if self._context.is_aborted:
                raise Aborted
            self._context.evaluate(prompt.tokens[at:end])
            at = end
            if end in prompt.kept_ends:
                kept = self._keep(end) or kept
            emit([Heartbeat(end, total)])
        if total - start >= _SHORTEST_MEASURE_TOKENS:
            self.prefill_tokens_per_s = (total - start) / (time.perf_counter() - begun)
        return start, kept - start

    def _reserved(self, answer_tokens: int | None) -> int:
        """Return the room that an answer gets at first; all of it where a window cannot grow exactly."""
        wanted = self.window_tokens if answer_tokens is None else answer_tokens
        return min(wanted, _RESERVED_TOKENS) if self._model.restores_exactly else wanted

    def _reuse(self, tokens: list[int], ends: Sequence[int]) -> int:
        """Bring the context to the longest prefix that needs no evaluation; return its length."""
        context = self._context
        if not self._model.restores_exactly:
            context.clear()
            return 0
        live = reusable(tokens, ends, context.tokens, context.ends)
        snapshot = self._snapshots.find(tokens, ends)
        if snapshot is None or live >= len(snapshot.tokens):
            if context.keep(live):
                return live
            snapshot = self._snapshots.find(tokens, ends)
        if snapshot is not None:
            context.reserve(len(snapshot.tokens) + _HEADROOM_TOKENS)
            if context.restore(snapshot.state):
                context.tokens, context.ends = list(snapshot.tokens), list(snapshot.ends)
                return len(snapshot.tokens)
        context.clear()
        return 0

    def _keep(self, end: int) -> int:
        """Snapshot the prefix up to `end` unless it is short or kept already; return the tokens snapshotted."""
        tokens, ends = self._context.tokens, self._context.ends
        is_worth_it = end >= _SHORTEST_SNAPSHOT_TOKENS and self._model.restores_exactly
        if not is_worth_it or self._snapshots.holds(tokens, ends):
            return 0
        self._snapshots.put(tokens, ends, self._context.save())
        return end

    def _measure(self) -> float:
        """Return prefill tokens a second, from one short chunk after one that only warms up the memory."""
        token = max(0, self._model.vocabulary.eos)
        size = min(_SHORTEST_MEASURE_TOKENS, self.window_tokens // 2, PREFILL_STEP)
        self._context.reserve(size + _HEADROOM_TOKENS)
        self._context.evaluate([token] * 2)
        begun = time.perf_counter()
        self._context.evaluate([token] * size)
        rate = size / (time.perf_counter() - begun)
        self._context.clear()
        return rate


def _window_tokens(model: NativeModel, settings: EngineSettings) -> int:
    """Return the longest window: what the model was trained for, what the user allows, what the memory holds."""
    memory = settings.kv_mb * 1024 * 1024 if settings.kv_mb else memory_bytes() // _FALLBACK_KV_SHARE
    holds = memory // max(1, model.kv_bytes_per_token())
    allowed = settings.max_context_tokens or model.trained_tokens
    return max(1, min(model.trained_tokens, allowed, holds))


def _defaults(metadata: Callable[[str], str | None]) -> Defaults:
    """Return the model file's own recommendation for sampling, where it has one."""

    def number(name: str, otherwise: float) -> float:
        try:
            return float(metadata(f"general.sampling.{name}") or otherwise)
        except ValueError:
            return otherwise

    base = Defaults()
    return Defaults(
        temperature=number("temp", base.temperature),
        top_k=int(number("top_k", base.top_k)),
        top_p=number("top_p", base.top_p),
        min_p=number("min_p", base.min_p),
    )
