"""What reaches a terminal, and when it is coloured."""

from __future__ import annotations

import io
import os
import pty
import sys

import pytest

from roteiro import terminal


class Tty(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def terminal_as_stdout(monkeypatch) -> Tty:
    """Make stdout a terminal that can show colours; inside a test, since capturing sets stdout anew before it."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    stream = Tty()
    monkeypatch.setattr(sys, "stdout", stream)
    return stream


def test_a_terminal_is_coloured_and_a_pipe_is_not(monkeypatch):
    """Bold is a pair of escape sequences, or nothing."""
    terminal_as_stdout(monkeypatch)
    assert terminal.bold("x") == "\x1b[1mx\x1b[0m"
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert terminal.bold("x") == "x"


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_no_color_and_dumb_terminals_are_honoured(monkeypatch, name, value):
    """The person's wish, or the terminal's limit."""
    terminal_as_stdout(monkeypatch)
    monkeypatch.setenv(name, value)
    assert terminal.red("x") == "x"


def test_text_of_others_cannot_steer_the_terminal(monkeypatch):
    """Escape, bell, carriage return and the C1 controls are shown as marks; tab and newline stay."""
    tty = terminal_as_stdout(monkeypatch)
    terminal.print_text("a\x1b]0;owned\x07\r\x9b2Jb\tc\n" + terminal.bold("\x1b[31mred"))
    printed = tty.getvalue()
    for character in "\x07\r\x9b":
        assert character not in printed
    assert printed.startswith("a\N{REPLACEMENT CHARACTER}]0;owned")
    assert "\tc\n" in printed
    assert printed.count("\x1b") == 2


def test_a_question_without_a_terminal_has_no_answer(monkeypatch):
    """None, which callers turn into an error that names the option."""
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    assert terminal.confirm("Fetch?") is None


@pytest.mark.parametrize(("typed", "meant"), [("\n", True), ("y\n", True), ("YES\n", True), ("n\n", False), ("", True)])
def test_a_question_on_a_terminal_takes_enter_for_yes(monkeypatch, typed, meant):
    """The end of input counts as Enter does; any other word is a no."""
    keyboard = Tty(typed)
    monkeypatch.setattr(sys, "stdin", keyboard)
    monkeypatch.setattr(sys, "stderr", Tty())
    assert terminal.confirm("Fetch?") is meant


def test_a_real_pseudo_terminal_counts_as_one(monkeypatch):
    """The check is the operating system's."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    leader, follower = pty.openpty()
    with os.fdopen(follower, "w") as stream:
        assert terminal.is_coloured(stream)
    os.close(leader)
