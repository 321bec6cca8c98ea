"""One loaded model and the answers it is giving: prompts, lanes, snapshots. No threads here.

`abort` and `allow` are all that another thread may call, but for `count`, which touches no context.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from serve.engine.cache_stats import CacheStats
from serve.engine.local.context import Aborted, Context, Work
from serve.engine.local.generation import Emit, Generation, Parts, Steps, prefill
from serve.engine.local.gguf import memory_bytes
from serve.engine.local.kv import KvTypes, types_of
from serve.engine.local.machine import physical_cores, slots_of
from serve.engine.local.native import NativeModel, has_gpu
from serve.engine.local.prefixes import Prefixes, Wanted
from serve.engine.local.prompt import Prompter
from serve.engine.local.sampler import Defaults
from serve.engine.local.schedule import PREFILL_STEP
from serve.engine.local.sliding import SlidingWindow
from serve.engine.local.snapshot_files import SnapshotFiles
from serve.engine.local.snapshots import Snapshots
from serve.errors import BadRequestError, ContextLengthError, EngineError
from serve.prompt.conversation import Conversation
from serve.prompt.template import CHATML, ChatTemplate
from serve.prompt.toolprompt import ToolLimits
from serve.settings import EngineSettings
from serve.turns import GenerationRequest

__all__ = ["Core"]

_RESERVED_TOKENS = 2_048
"""What an answer gets at first: some clients always ask for 32,000, and a window that large would be slow to make."""
_HEADROOM_TOKENS = 16
_SHORTEST_MEASURE_TOKENS = 64
_FALLBACK_KV_SHARE = 4
"""A quarter of the machine's memory, when `kv_mb` says nothing."""
_MIB = 1024 * 1024
_WITHOUT_GPU = " (on the processor: this llama.cpp was built without a GPU, so gpu_layers does nothing)"


def _ignore(_: str) -> None:
    """Take a note that nobody reads."""


class Core:
    """A model, its prompts and its context. Snapshots are kept in `snapshot_folder` too where there is one.

    Raises:
        EngineError: the model cannot be loaded or run here; says what to do.
    """

    def __init__(
        self,
        path: Path,
        model: str,
        settings: EngineSettings,
        limits: ToolLimits,
        snapshot_folder: Path | None = None,
    ) -> None:
        types = types_of(settings)
        self._model = NativeModel(path, settings.gpu_layers)
        self._wants_gpu = settings.gpu_layers != 0
        self.slots = settings.slots or slots_of(physical_cores())
        self.window_tokens = _window_tokens(self._model, settings, self.slots, types)
        threads = settings.threads or physical_cores()
        self._context = Context(self._model, self.window_tokens, threads, self.slots, types)
        files = None
        if snapshot_folder is not None and settings.prefix_cache_disk_mb > 0:
            files = SnapshotFiles(snapshot_folder, settings.prefix_cache_disk_mb * _MIB)
        is_fast = settings.cache_mode != "strict"  # a model that cannot go back is strict all the same
        key = self._model.snapshot_key(path, settings.gpu_layers, types)
        self._snapshots = Snapshots(key, settings.prefix_cache_mb * _MIB, files)
        window = SlidingWindow(self._model.sliding_tokens, has_flash_attention=types.has_flash_attention)
        self._prefixes = Prefixes(self._model, self._context, self._snapshots, window, is_fast=is_fast)
        self._parts = Parts(
            name=model,
            model=self._model,
            context=self._context,
            prompter=_prompter(self._model, limits, window),
            prefixes=self._prefixes,
            defaults=_defaults(self._model.metadata),
            window_tokens=self.window_tokens,
        )
        self._prefilled = (0, 0.0)
        self.prefill_tokens_per_s = self._measure()

    @property
    def stats(self) -> CacheStats:
        """What the prefix cache did so far."""
        return self._snapshots.stats

    def describe(self) -> str:
        """Return the model in a few words."""
        missed = _WITHOUT_GPU if self._wants_gpu and not has_gpu() else ""
        return self._model.describe() + missed

    def count(self, request: GenerationRequest) -> int:
        """Return the prompt tokens of a request; raises ContextLengthError where they are far beyond the window."""
        return len(self._parts.prompter.prompt(request, self.window_tokens).tokens)

    def abort(self) -> None:
        """Stop what runs; from any thread."""
        self._context.abort()

    def allow(self) -> None:
        """Take back `abort`."""
        self._context.allow()

    def warming(self, request: GenerationRequest) -> Steps:
        """Yield the steps that evaluate the preamble of a request, so that the next one of this head starts after."""
        prompt = self._parts.prompter.preamble(request)
        total = len(prompt.tokens)
        if not prompt.tokens or total >= self.window_tokens:
            return
        # A preamble needs no logits, so all of it may be there already: an end behind it says so.
        wanted = Wanted(ends=(*prompt.ends, total + 1), room_tokens=self._room(total, None), is_exact=True)
        lane = self._prefixes.take(prompt, wanted, _ignore)
        try:
            yield from prefill(self._parts, lane, prompt, lambda _: None)
        finally:
            self._prefixes.give_back(lane)

    @property
    def reuses_answers(self) -> bool:
        """Whether the tokens of an answer serve the next turn as they were generated."""
        return self._prefixes.reuses_answers

    def following(self, request: GenerationRequest) -> Steps:
        """Yield the steps that evaluate a conversation up to its last turn, as its next prompt will have it.

        Nobody waits for them, so nothing is moved for them: what does not fit the window as it is stays undone.
        """
        prompt = self._parts.prompter.before_last_turn(request, self.window_tokens)
        total = len(prompt.tokens)
        if not total or total + _HEADROOM_TOKENS > self._context.size_tokens:
            return
        wanted = Wanted(ends=(*prompt.ends, total + 1), room_tokens=total + 1, is_exact=True, is_asked=False)
        lane = self._prefixes.take(prompt, wanted, _ignore)
        try:
            yield from prefill(self._parts, lane, prompt, lambda _: None)
        finally:
            self._prefixes.give_back(lane)

    def answering(self, request: GenerationRequest, emit: Emit, note: Callable[[str], None] = _ignore) -> Steps:
        """Yield the steps of an answer, whose events are emitted; the last is Finished.

        Raises:
            ServeError: before the first event only: the prompt is too long, refused, or there is no memory.
            Aborted: `abort` was called.
        """
        self._check_bias(request)
        prompt = self._parts.prompter.prompt(request, self.window_tokens)
        size = len(prompt.tokens)
        if size + 1 > self.window_tokens:
            raise ContextLengthError(size, self.window_tokens)
        generation = Generation(self._parts, request, prompt, emit, note)
        room = self._room(size, request.sampling.max_tokens)
        wanted = Wanted(ends=prompt.ends, room_tokens=room, is_exact=request.sampling.seed is not None)
        lane = self._prefixes.take(prompt, wanted, note)
        try:
            yield from generation.run(lane)
        finally:
            self._prefixes.give_back(lane)

    def _check_bias(self, request: GenerationRequest) -> None:
        size = self._model.vocabulary.size
        foreign = next((token for token, _ in request.sampling.logit_bias if token >= size), None)
        if foreign is not None:
            raise BadRequestError(
                f"logit_bias names the token {foreign}; this model's tokens are 0 to {size - 1}."
                f" Take them from this model's own tokenizer.",
                param=f"logit_bias.{foreign}",
            )

    def evaluate(self, works: Sequence[Work]) -> list[int]:
        """Evaluate the work of some answers, one piece of each; return where the logits of each are.

        Raises:
            Aborted, EngineError: as `Context.evaluate` does.
        """
        needed = max(len(work.lane.tokens) + len(work.tokens) for work in works)
        if needed > self._context.size_tokens:
            self._context.reserve(min(needed + _RESERVED_TOKENS, self.window_tokens))
        begun = time.perf_counter()
        places = self._context.evaluate(works)
        if len(works) == 1:
            self._clock(len(works[0].tokens), time.perf_counter() - begun)
        return places

    def finish(self, steps: Steps) -> None:
        """Run an answer or a warming to its end, alone."""
        try:
            work = next(steps)
            while True:
                try:
                    (place,) = self.evaluate([work])
                except (Aborted, EngineError) as error:
                    work = steps.throw(error)
                else:
                    work = steps.send(place)
        except StopIteration:
            return

    def generate(self, request: GenerationRequest, emit: Emit) -> None:
        """Emit the events of an answer; raises as `answering` does."""
        self.finish(self.answering(request, emit))

    def warm(self, request: GenerationRequest) -> None:
        """Evaluate the preamble of a request."""
        self.finish(self.warming(request))

    def problem(self) -> str:
        """Return what the log should say of the cache, once; empty when there is nothing to say."""
        return self._snapshots.problem()

    def flush(self) -> None:
        """Write new snapshots to the disk, beside what comes next."""
        self._snapshots.flush()

    def close(self) -> None:
        """Free context and model; what is being written is finished."""
        self._snapshots.close()
        self._context.close()
        self._model.close()

    def _room(self, prompt_tokens: int, answer_tokens: int | None) -> int:
        """Return the window a prompt needs at first; all of it where a window cannot grow exactly."""
        wanted = self.window_tokens if answer_tokens is None else answer_tokens
        wanted = min(wanted, _RESERVED_TOKENS) if self._model.restores_anywhere else wanted
        return min(prompt_tokens + wanted + _HEADROOM_TOKENS, self.window_tokens)

    def _clock(self, tokens: int, seconds: float) -> None:
        """Measure prefill: chunks in a row count together, anything shorter ends the row."""
        if tokens < 2:
            self._prefilled = (0, 0.0)
            return
        done, spent = self._prefilled
        self._prefilled = (done + tokens, spent + seconds)
        if done + tokens >= _SHORTEST_MEASURE_TOKENS:
            self.prefill_tokens_per_s = (done + tokens) / (spent + seconds)

    def _measure(self) -> float:
        """Return prefill tokens a second, from one short chunk after one that only warms up the memory."""
        token = max(0, self._model.vocabulary.eos)
        lane = self._context.lanes[0]
        size = min(_SHORTEST_MEASURE_TOKENS, self.window_tokens // 2, PREFILL_STEP)
        self._context.reserve(size + _HEADROOM_TOKENS)
        self._context.evaluate([Work(lane, [token] * 2)])
        begun = time.perf_counter()
        self._context.evaluate([Work(lane, [token] * size)])
        rate = size / (time.perf_counter() - begun)
        lane.clear()
        return rate


def _prompter(model: NativeModel, limits: ToolLimits, window: SlidingWindow) -> Prompter:
    vocabulary = model.vocabulary
    template = ChatTemplate(
        model.metadata("tokenizer.chat_template") or CHATML,
        vocabulary.text_of(vocabulary.bos),
        vocabulary.text_of(vocabulary.eos),
    )
    return Prompter(Conversation(template), vocabulary, limits, window)


def _window_tokens(model: NativeModel, settings: EngineSettings, slots: int, types: KvTypes) -> int:
    """Return the longest window: what the model was trained for, what the user allows, what the memory holds."""
    memory = settings.kv_mb * _MIB if settings.kv_mb else memory_bytes() // _FALLBACK_KV_SHARE
    holds = memory // max(1, model.kv_bytes_per_token(types)) // slots
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
