"""Counting the tokens of a request for an upstream whose models have a published encoding.

tiktoken knows the encodings of OpenAI's models and fetches their tables on first use. Here nothing is ever fetched: a
table counts only when it is in tiktoken's cache already (`TIKTOKEN_CACHE_DIR`). Other models have no counter at all:
four characters to a token would look like a count and be none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from serve.turns import GenerationRequest

__all__ = ["Counter", "counter_for", "request_tokens"]

Counter: TypeAlias = Callable[[str], int]

_MESSAGE_TOKENS = 3
"""Around each message, by OpenAI's own account of its chat format; three more open the answer."""


def counter_for(model: str) -> Counter | None:
    """Return what counts the tokens of a text for a model; None when its encoding is unknown or not in the cache.

    Costs 0.3 s where there is an encoding to load, nothing otherwise.
    """
    import tiktoken
    import tiktoken.load

    try:
        tiktoken.encoding_name_for_model(model)
    except KeyError:
        return None
    # For the whole process and on purpose: whoever else asks it for a table must not open a connection either.
    tiktoken.load.read_file = _refuse
    try:
        encoding = tiktoken.encoding_for_model(model)
    except (LookupError, ValueError, OSError):
        return None
    return lambda text: len(encoding.encode(text, disallowed_special=()))


def request_tokens(request: GenerationRequest, count: Counter) -> int:
    """Return the prompt tokens of a request; tools count as the JSON that they are sent as, which is near."""
    texts = [message.content for message in request.messages]
    texts += [call.arguments for message in request.messages for call in message.tool_calls]
    texts += [f"{tool.name} {tool.description} {bytes(tool.parameters).decode()}" for tool in request.tools]
    return sum(map(count, texts)) + _MESSAGE_TOKENS * (len(request.messages) + 1)


def _refuse(blobpath: str) -> bytes:
    raise LookupError(f"{blobpath} is not in the cache, and nothing is fetched.")
