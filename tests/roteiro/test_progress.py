"""Work that takes a while, shown on stderr."""

from __future__ import annotations

import io
import sys

from roteiro import progress


class Tty(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_quick_work_shows_nothing(capsys):
    """A flash of a line is noise."""
    with progress.showing() as show:
        show("reading", 1, 2)
    assert capsys.readouterr() == ("", "")


def test_elsewhere_than_on_a_terminal_a_line_comes_now_and_then(capsys, monkeypatch):
    """Not one for every file."""
    clock = iter([0.0, 1.0, 2.0, 7.0])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))
    with progress.showing() as show:
        show("reading files", 10, 1000)
        show("reading files", 20, 1000)
        show("reading files", 900, 1000)
    assert capsys.readouterr().err == "reading files: 10 of 1,000\nreading files: 900 of 1,000\n"


def test_bytes_are_shown_as_megabytes(capsys, monkeypatch):
    """With and without a known total."""
    clock = iter([0.0, 1.0, 9.0])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))
    with progress.showing(is_bytes=True) as show:
        show("fetching", 5_000_000, 1_117_000_000)
        show("fetching", 6_000_000, 0)
    assert capsys.readouterr().err == "fetching: 5 of 1,117 MB\nfetching: 6 MB\n"


def test_on_a_terminal_it_is_a_bar_that_goes_away(monkeypatch):
    """Only when the work takes long enough to be worth one."""
    stream = Tty()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(progress, "_NOTHING_BEFORE_S", 0.0)
    with progress.showing() as show:
        show("reading files", 10, 1000)
    assert "reading files" in stream.getvalue()
