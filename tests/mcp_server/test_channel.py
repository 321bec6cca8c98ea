"""The pipes: lines in with a bound, lines out whole."""

import os
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_server.channel import LineReader, LineWriter
from mcp_server.errors import ProtocolError


@pytest.fixture
def pipe():
    read, write = os.pipe()
    yield read, write
    for descriptor in (read, write):
        try:
            os.close(descriptor)
        except OSError:
            continue


def _read(data, max_bytes=1_000):
    read, write = os.pipe()
    feeder = threading.Thread(target=lambda: (os.write(write, data), os.close(write)))
    feeder.start()
    try:
        return list(LineReader(read, is_orphan=lambda: False, max_bytes=max_bytes).lines())
    finally:
        feeder.join()
        os.close(read)


def test_lines_come_without_their_ends_and_blank_ones_are_skipped():
    """Carriage returns of other systems go too."""
    assert _read(b"a\r\n\n  \nb\n") == [b"a", b"b"]


def test_a_last_line_without_its_end_counts():
    """A client that pipes its requests in may forget it."""
    assert _read(b"a\nb") == [b"a", b"b"]


def test_a_line_that_is_too_long_is_refused_and_the_next_one_read():
    """One refusal for each, however many pieces it came in."""
    first, second, third = _read(b"x" * 200_000 + b"\nok\n" + b"y" * 1_001 + b"\n")
    assert isinstance(first, ProtocolError)
    assert "1000 bytes" in first.message
    assert second == b"ok"
    assert isinstance(third, ProtocolError)


@settings(deadline=None)  # the machine may be busy
@given(st.lists(st.binary(min_size=1, max_size=40).filter(lambda line: b"\n" not in line and line.strip() == line)))
def test_lines_survive_however_the_pipe_cuts_them(lines):
    """What was written is what is read."""
    lines = [line for line in lines if line]
    assert _read(b"".join(line + b"\n" for line in lines)) == lines


def test_reading_ends_when_the_parent_has_died(pipe, monkeypatch):
    """Another process may hold the pipe open for ever."""
    monkeypatch.setattr("mcp_server.channel._PARENT_CHECK_S", 0.01)
    reader = LineReader(pipe[0], is_orphan=lambda: True)
    assert list(reader.lines()) == []
    assert reader.was_orphaned


def test_writing_to_a_client_that_has_gone_is_no_error(pipe):
    """Nobody is left to tell; the session sees it and ends."""
    os.close(pipe[0])
    writer = LineWriter(pipe[1])
    writer.write(b"x\n")
    assert writer.is_broken
    writer.write(b"y\n")


def test_lines_of_many_threads_never_mix(pipe):
    """Each line arrives whole."""
    writer = LineWriter(pipe[1])
    threads = [
        threading.Thread(target=lambda letter=letter: [writer.write(letter * 500 + b"\n") for _ in range(10)])
        for letter in (b"a", b"b", b"c")
    ]
    for thread in threads:
        thread.start()
    reader = LineReader(pipe[0], is_orphan=lambda: False).lines()
    got = [next(reader) for _ in range(30)]
    for thread in threads:
        thread.join()
    assert all(len(set(line)) == 1 and len(line) == 500 for line in got)
