"""No bytes make an extractor raise, hang or lose its structure: every language of the table, one set of attacks.

A language joins by its row in `graph.languages` and, for better mutations, by sample files in
`tests/fixtures/languages/<key>/`. Deadlines are ten times what the attack took when it was written.
"""

from __future__ import annotations

import random
import time
from functools import cache
from pathlib import Path

import msgspec
import pytest

from graph.extract.facts import Facts
from graph.extract.registry import EXTRACTED_LANGUAGES, extract
from graph.languages import language_named, language_of

SAMPLES = Path(__file__).parent.parent / "fixtures" / "languages"

_FEW, _MANY, _MOST = 30, 2_000, 20_000

_TOKENS = (
    b"(", b")", b"[", b"]", b"{", b"}", b"<", b">", b'"', b"'", b"`", b"\\", b"/*", b"*/", b"//", b"#", b"\n", b"\r",
    b"\r\n", b"\t", b" ", b"\x00", b"\xff", b"\xc3", b"\xef\xbb\xbf", b"::", b".", b",", b";", b":", b"=", b"=>", b"->",
    b"@", b"$", b"!", b"?", b"&", b"*", b"_", b"0", b"a", b"class ", b"func ", b"fn ", b"def ", b"import ", b"use ",
    b"if ", b"for ", b"return ", b"struct ", b"enum ", b"type ", b"case ", b"end\n", b"fi\n", b"let ", b"var ", b"val ",
)  # fmt: skip


@cache
def samples(language: str) -> tuple[bytes, ...]:
    """Return the sample files of a language, and a text that is valid in none."""
    folder = SAMPLES / language_named(language).key
    found = [path.read_bytes() for path in sorted(folder.glob("**/*")) if language_of(path.name) == language]
    return (*found, b'package a; class B { int f() { return g(1, "x"); } }\ndef h(): return B().f()\nfunc k() { }\n')


def mutated(data: bytes, source: random.Random) -> bytes:
    """Return bytes near to valid text: pieces cut out, doubled, swapped, replaced by tokens and noise."""
    text = bytearray(data)
    for _ in range(source.randint(1, 8)):
        start = source.randint(0, len(text))
        end = min(len(text), start + source.randint(0, 40))
        match source.randint(0, 5):
            case 0:
                del text[start:end]
            case 1:
                text[start:start] = text[start:end] * source.randint(1, 3)
            case 2:
                text[start:start] = source.choice(_TOKENS)
            case 3:
                text[start:end] = source.choice(_TOKENS)
            case 4:
                text[start:end] = source.randbytes(end - start)
            case _:
                other = source.randint(0, len(text))
                text[start:end] = text[other : other + 40]
    return bytes(text)


def assert_sound(found: Facts, data: bytes) -> None:
    """Facts point only at what they hold, and lines lie in the file."""
    lines = data.count(b"\n") + data.count(b"\r") + 1
    scopes, definitions = len(found.scopes), len(found.definitions)
    for item in found.definitions:
        assert item.scope < scopes
        assert 0 <= item.owner < max(scopes, 1)
        assert 1 <= item.start_line <= item.name_line <= item.end_line <= lines
        assert "\n" not in item.signature
        assert len(item.signature) <= 300
        assert len(item.doc) <= 2000
    for number, scope in enumerate(found.scopes):
        assert scope.parent < number
        assert scope.definition < definitions
    assert len({(item.qualname, item.ordinal) for item in found.definitions}) == definitions


@pytest.mark.parametrize("language", EXTRACTED_LANGUAGES)
@pytest.mark.parametrize(
    "count",
    [
        pytest.param(_FEW, id="few"),
        pytest.param(_MANY, id="many", marks=pytest.mark.slow),
        pytest.param(_MOST, id="most", marks=pytest.mark.exhaustive),
    ],
)
def test_mutated_samples_never_raise(language: str, count: int) -> None:
    """What is near to valid text reaches deeper into an extractor than noise does."""
    source = random.Random(f"{language} {count}")  # noqa: S311 - reproducible mutations, not secrets
    for _ in range(count):
        data = mutated(source.choice(samples(language)), source)
        assert_sound(extract(language, data), data)


@pytest.mark.parametrize("language", EXTRACTED_LANGUAGES)
@pytest.mark.parametrize("ending", [b"\r\n", b"\r", b"\n\r\n"], ids=["crlf", "cr", "mixed"])
def test_line_ends_of_other_systems_are_read(language: str, ending: bytes) -> None:
    """Line ends change lines, never whether a file is read."""
    for data in samples(language):
        other = data.replace(b"\n", ending)
        assert_sound(extract(language, other), other)


@pytest.mark.parametrize("language", EXTRACTED_LANGUAGES)
def test_wrong_encodings_are_read(language: str) -> None:
    """UTF-16, Latin-1 and cut UTF-8 sequences are somebody's files too."""
    for data in samples(language):
        latin = b"\xe4\xf6" + data
        for other in (data.decode().encode("utf-16"), "ä€".encode("utf-16-le") + data, latin, data[:-1] + b"\xe2"):
            assert_sound(extract(language, other), other)


@pytest.mark.parametrize("language", EXTRACTED_LANGUAGES)
@pytest.mark.parametrize("share", [pytest.param(50, id="part"), pytest.param(1, id="whole", marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x00" * 1000,
        b"(" * 100_000,
        b"[" * 50_000 + b"]" * 50_000,
        b"{" * 100_000,
        b"<" * 100_000,
        b"a" + b".a()" * 25_000,
        b"a" + b" + a" * 25_000,
        b"f(" * 50_000 + b")" * 50_000,
        b"if (a) { " * 10_000,
        b'"' * 100_001,
        b"/*" * 50_000,
        b"\n" * 100_000,
        b"x" * 100_000,
    ],
    ids=[
        "empty", "zeros", "parentheses", "brackets", "braces", "angles", "chain", "sum", "calls", "blocks", "quotes",
        "comments", "lines", "word",
    ],
)  # fmt: skip
def test_deep_and_long_bytes_are_read_in_time(language: str, share: int, data: bytes) -> None:
    """Depth is cut, length is read; neither overflows. A fiftieth is still deeper than the stack of Python."""
    attack = data[: len(data) // share]
    started = time.process_time()
    assert_sound(extract(language, attack), attack)
    assert time.process_time() - started < 20


@pytest.mark.parametrize("language", EXTRACTED_LANGUAGES)
@pytest.mark.parametrize(
    "size", [pytest.param(15_000, id="15kB"), pytest.param(2_000_000, id="2MB", marks=pytest.mark.slow)]
)
def test_a_long_file_is_read_in_time(language: str, size: int) -> None:
    """The largest file that an index takes by default, made of samples one after the other."""
    text = b"\n".join(samples(language)[:-1] or samples(language))
    data = (text + b"\n") * (size // len(text) + 1)
    started = time.process_time()
    found = extract(language, data[:size])
    assert time.process_time() - started < max(2, size / 50_000)
    assert found.line_count > 100


@pytest.mark.parametrize("language", EXTRACTED_LANGUAGES)
def test_extraction_depends_on_the_bytes_alone(language: str) -> None:
    """The same bytes give equal facts, whatever was read before."""
    for data in samples(language):
        first = extract(language, data)
        extract(language, b"something else")
        assert extract(language, data) == first


@pytest.mark.parametrize(
    ("language", "operator"),
    [("javascript", "||"), ("javascript", "??"), ("javascript", "+"), ("typescript", ","), ("python", " or ")],
)
def test_a_chain_of_thousands_of_operators_is_written_down_flat(language: str, operator: str) -> None:
    """Facts nested as deep as the chain is long could not be stored, and the file would be lost."""
    found = extract(language, f"x = {operator.join(['f'] * 3_000)}\n".encode())
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(found), type=Facts) == found
