"""The page's and the command line's own wire: a question inwards, every event outwards as JSON by its tag, and back.

Nothing but thinking is hidden here: queue positions, steps, citations with their states, usage.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from serve.errors import BadRequestError
from serve.events import Event, Failed, Reasoning
from serve.turns import GenerationRequest, Message, Mode, Role
from serve.wire.arrival import Arrival, resolve_model
from serve.wire.conversation import join_parts, lead_with_system
from serve.wire.fields import Field, read_body, shorten
from serve.wire.sampling import decode_budget, decode_effort, decode_sampling, token_limit
from serve.wire.sse import PING, data_lines, frame

__all__ = ["AskAnswer", "decode_question", "decode_stream", "encode_question"]

_EVENTS: msgspec.json.Decoder[Event] = msgspec.json.Decoder(Event)
_KEYS = frozenset(
    [
        "question",
        "messages",
        "model",
        "max_tokens",
        "temperature",
        "top_p",
        "top_k",
        "min_p",
        "seed",
        "stop",
        "frequency_penalty",
        "presence_penalty",
        "repetition_penalty",
        "logit_bias",
    ]
)
"""What is read here. This wire is our own: a key that is not read is a mistake, not an extension of another server."""


def encode_question(question: str, messages: Iterable[Message] = ()) -> bytes:
    """Return the body of a request; `messages` are the turns before the question."""
    turns = [{"role": message.role.value, "content": message.content} for message in messages]
    return msgspec.json.encode({"question": question, "messages": turns})


def decode_question(body: bytes, arrival: Arrival) -> GenerationRequest:
    """Return the request; raises BadRequestError or UnknownModelError. Without `model` the first one answers."""
    root = read_body(body)
    if unknown := sorted(root.members().keys() - _KEYS):
        raise BadRequestError(
            f"{shorten(unknown[0])} is no key of a question. These are: {', '.join(sorted(_KEYS))}; the turns before "
            "the question go into messages.",
            param=unknown[0][:60],
        )
    named = resolve_model(root.get("model").text_or(arrival.models[0]), arrival.models, arrival.settings.aliases)
    question = root.get("question").text()
    if not question.strip():
        raise BadRequestError("question must not be empty.", param="question")
    turns = (*(_turn(item) for item in root.get("messages").items()), Message(role=Role.USER, content=question))
    return GenerationRequest(
        id=arrival.id,
        model=named.model,
        mode=Mode.ASK,
        messages=lead_with_system(turns),
        sampling=decode_sampling(root, token_limit(root.get("max_tokens"))),
        reasoning=decode_effort((), arrival, named),
        reasoning_budget=decode_budget(root, arrival),
        project=arrival.project,
    )


def _turn(item: Field) -> Message:
    role = item.get("role").choice("system", "user", "assistant")
    if role is None:
        raise item.get("role").wrong("system, user or assistant")
    return Message(role=Role(role), content=join_parts(item.get("content")))


class AskAnswer:
    """Writes every event as it is, thinking only where it is exposed. See `serve.wire.answer.Encoder`."""

    def __init__(self, *, exposes_reasoning: bool = False) -> None:
        self._exposes_reasoning = exposes_reasoning
        self._events: list[Event] = []
        self.failure: Failed | None = None

    def begin(self) -> bytes:
        """Return a comment: it opens the stream."""
        return PING

    def ping(self) -> bytes:
        """Return a comment."""
        return PING

    def encode(self, event: Event) -> bytes:
        """Return the event as one frame."""
        if isinstance(event, Reasoning) and not self._exposes_reasoning:
            return b""
        self._events.append(event)
        if isinstance(event, Failed):
            self.failure = event
        return frame(event)

    def whole(self) -> bytes:
        """Return all events as an array."""
        return msgspec.json.encode(self._events)


def decode_stream(lines: Iterable[str]) -> Iterator[Event]:
    """Yield the events of a stream, from its lines. A tag of a newer server is skipped.

    Raises:
        BadRequestError: a frame that is no event at all.
    """
    for data in data_lines(lines):
        try:
            yield _EVENTS.decode(data)
        except msgspec.ValidationError:
            continue
        except msgspec.DecodeError as error:
            raise BadRequestError(f"The server sent {shorten(data)}, which is no event: {error}.") from error
