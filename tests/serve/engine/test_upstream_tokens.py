"""Counting for an upstream: by a cached encoding or not at all, and never over the network."""

from __future__ import annotations

import base64
import hashlib

import msgspec
import pytest
import tiktoken
import tiktoken.load
import tiktoken.registry

from serve.engine.upstream_tokens import counter_for, request_tokens
from serve.turns import GenerationRequest, Message, Mode, Role, ToolCall, ToolSpec

_URL = "https://encodings.example/bytes.tiktoken"


@pytest.fixture
def byte_encoding(tmp_path, monkeypatch):
    """Give tiktoken a model whose table has one token for each byte; return where that would be cached."""
    monkeypatch.setattr(tiktoken.load, "read_file", tiktoken.load.read_file)
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    table = b"".join(base64.b64encode(bytes([number])) + b" %d\n" % number for number in range(256))

    def make():
        ranks = tiktoken.load.load_tiktoken_bpe(_URL, expected_hash=hashlib.sha256(table).hexdigest())
        return {"name": "bytes", "pat_str": r"[\s\S]", "mergeable_ranks": ranks, "special_tokens": {"<|end|>": 256}}

    monkeypatch.setitem(tiktoken.model.MODEL_TO_ENCODING, "byte-model", "bytes")
    monkeypatch.setattr(tiktoken.registry, "ENCODINGS", {})
    monkeypatch.setattr(tiktoken.registry, "ENCODING_CONSTRUCTORS", {"bytes": make})
    return tmp_path / hashlib.sha1(_URL.encode()).hexdigest(), table  # noqa: S324 - tiktoken's name for the file


def test_a_cached_encoding_counts(byte_encoding):
    """Control tokens in a text are text."""
    place, table = byte_encoding
    place.write_bytes(table)
    count = counter_for("byte-model")
    assert count is not None
    assert count("four") == 4
    assert count("<|end|>") == 7


def test_an_encoding_that_is_not_cached_is_not_fetched(byte_encoding):
    """No counter, no connection."""
    assert counter_for("byte-model") is None
    assert tiktoken.load.read_file.__name__ == "_refuse"


def test_a_cached_file_of_other_bytes_is_not_fetched_again(byte_encoding):
    """Tiktoken itself would throw it away and download."""
    place, _ = byte_encoding
    place.write_bytes(b"broken")
    assert counter_for("byte-model") is None


def test_a_model_without_published_encoding_has_no_counter():
    """Guessing would look like counting."""
    assert counter_for("qwen2.5-coder-1.5b") is None


def test_a_request_counts_with_its_calls_tools_and_frames():
    """Three tokens around each message, three before the answer."""
    call = ToolCall(id="c", name="read", arguments="{}")
    request = GenerationRequest(
        id="1",
        model="m",
        mode=Mode.GENERAL,
        messages=(Message(role=Role.USER, content="hi"), Message(role=Role.ASSISTANT, tool_calls=(call,))),
        tools=(ToolSpec(name="read", description="Reads", parameters=msgspec.Raw(b"{}")),),
    )
    assert request_tokens(request, len) == 2 + 2 + len("read Reads {}") + 9
