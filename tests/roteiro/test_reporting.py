"""An error as the person reads it: one line, and an exit code for scripts."""

from __future__ import annotations

import pytest

from graph.errors import ArgumentError, KeyNotFoundError, RootError, StoreNewerError
from roteiro.errors import ConfigError, ModelError, UsageError
from roteiro.reporting import report
from serve.errors import BadRequestError, BindError, EngineError


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (UsageError("x"), 2),
        (ConfigError("x"), 2),
        (ArgumentError("limit", "x"), 2),
        (RootError("x"), 2),
        (BadRequestError("x"), 2),
        (ModelError("x"), 1),
        (KeyNotFoundError("x"), 1),
        (StoreNewerError("x"), 1),
        (EngineError("x"), 1),
        (BindError("x"), 1),
        (PermissionError(13, "Permission denied", "/x"), 1),
    ],
    ids=lambda value: type(value).__name__,
)
def test_every_error_somebody_can_act_on_has_its_exit_code(capsys, error, code):
    """1 not found or failed, 2 bad use."""
    assert report(error) == code
    assert capsys.readouterr().err.startswith("roteiro: ")


def test_a_message_of_many_lines_is_told_in_one(capsys):
    """For logs and for people who grep."""
    report(ModelError("first\n  second"))
    assert capsys.readouterr().err == "roteiro: first second\n"


def test_a_fault_of_ours_is_not_told_as_the_persons(capsys):
    """It keeps its traceback."""
    assert report(ZeroDivisionError("x")) is None
    assert capsys.readouterr().err == ""
