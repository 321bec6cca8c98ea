"""An answer as it arrives: streamed for a person, one document for a program."""

from __future__ import annotations

import json

import pytest

from roteiro.answers import AnswerWriter
from serve.events import (
    Citation,
    Cited,
    Failed,
    Finished,
    FinishReason,
    Heartbeat,
    Queued,
    Reasoning,
    Started,
    Step,
    Text,
    Usage,
)
from serve.turns import Mode

VERIFIED = Citation(path="a.py", start_line=1, end_line=3, key="sym:python:a.py#f", name="f", shown=True, verified=True)
EVENTS = [
    Queued(1),
    Started("m", Mode.ASK),
    Step(number=1, tool="search", arguments='{"query": "why"}', summary="2 results", result="...", ms=4),
    Heartbeat(1, 2),
    Reasoning("hm"),
    Text("It is "),
    Text("`f`.\n"),
    Cited((VERIFIED, Citation(path="b.py", start_line=2, end_line=2, name="g", exists=False))),
    Finished(reason=FinishReason.STOP, usage=Usage(prompt_tokens=100, completion_tokens=5, cached_tokens=40)),
]


def write(events, *, as_json):
    writer = AnswerWriter(as_json=as_json)
    for event in events:
        writer.take(event)
    return writer.finish()


def test_a_step_after_text_stands_on_a_line_of_its_own(capfd):
    """Both streams may be one terminal; a list of names reads as one."""
    names = Step(number=2, tool="names", arguments='{"names": ["f", "g"]}', summary="2 of 2", ms=0)
    write([Text("It is `f`."), names, Cited(()), Finished(reason=FinishReason.STOP)], as_json=False)
    out, err = capfd.readouterr()
    assert out == "It is `f`.\n"
    assert "  names f, g: 2 of 2 (0 ms)" in err


def test_a_program_gets_one_document(capsys):
    """With answer, citations, steps, usage and milliseconds."""
    assert write(EVENTS, as_json=True) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["answer"] == "It is `f`."
    assert document["citations"][0] == {
        "path": "a.py",
        "start_line": 1,
        "end_line": 3,
        "key": "sym:python:a.py#f",
        "name": "f",
        "exists": True,
        "shown": True,
        "supports": False,
        "verified": True,
    }
    assert document["steps"][0]["tool"] == "search"
    assert document["usage"]["prompt_tokens"] == 100
    assert document["ms"] >= 0
    assert document["error"] is None


def test_a_person_gets_the_text_on_stdout_and_the_rest_on_stderr(capsys):
    """So that the answer can be piped; reasoning is not part of it."""
    assert write(EVENTS, as_json=False) == 0
    out, err = capsys.readouterr()
    assert out.startswith("It is `f`.\n")
    assert "a.py:1-3  f  verified" in out
    assert "b.py:2-2  g  does not exist" in out
    assert "search why: 2 results (4 ms)" in err
    assert "100 + 5 tokens, 40 of them cached" in err
    assert "hm" not in out + err


@pytest.mark.parametrize("as_json", [True, False])
def test_a_failure_is_one_line_and_exit_code_one(capsys, as_json):
    """What was said before it is kept."""
    events = [Text("Half"), Failed(status=503, kind="server_error", message="The engine\nis gone.")]
    assert write(events, as_json=as_json) == 1
    out, err = capsys.readouterr()
    assert "Half" in out
    assert "roteiro: The engine is gone.\n" in err


def test_a_refusal_is_exit_code_one(capsys):
    """As for any command that found nothing."""
    events = [Text("Roteiro: nothing found."), Cited((), is_refusal=True), Finished(reason=FinishReason.STOP)]
    assert write(events, as_json=False) == 1
    assert "nothing found" in capsys.readouterr().out


def test_what_a_model_writes_cannot_steer_the_terminal(capsys):
    """It may repeat what it read in a hostile file."""
    write([Text("a\x1b[2Jb"), Finished(reason=FinishReason.STOP)], as_json=False)
    assert "\x1b" not in capsys.readouterr().out
