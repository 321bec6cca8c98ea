"""The scripted engine says what its file says, in the order of events that every engine keeps."""

import re
from pathlib import Path

import pytest

from serve.engine.script import ScriptError
from serve.engine.scripted import ScriptedEngine
from serve.events import (
    CallArguments,
    CallMade,
    CallOpened,
    Event,
    Failed,
    Finished,
    FinishReason,
    Heartbeat,
    Queued,
    Reasoning,
    Started,
    Text,
    Usage,
)
from serve.turns import GenerationRequest, Message, Mode, Role, Sampling, ToolCall, ToolSpec

DOCS = Path(__file__).parents[3] / "docs" / "scripted-engine.md"


def request(text: str = "hi", *, role: Role = Role.USER, **fields: object) -> GenerationRequest:
    return GenerationRequest(
        id="r1",
        model="scripted",
        mode=Mode.GENERAL,
        messages=(Message(role=role, content=text),),
        **fields,  # type: ignore[arg-type] - tests pass fields of the struct through
    )


def engine(tmp_path: Path, *lines: str) -> ScriptedEngine:
    path = tmp_path / "script.jsonl"
    path.write_text("\n".join(lines))
    return ScriptedEngine(path)


async def answer(made: ScriptedEngine, asked: GenerationRequest) -> list[Event]:
    return [event async for event in made.generate(asked)]


async def test_text_and_reasoning_come_in_pieces_between_started_and_finished(tmp_path):
    """The whole stream of a plain reply, as written."""
    made = engine(tmp_path, '{"reasoning": "hm", "text": ["Hel", "lo"], "queued": [2, 1], "heartbeats": 1}')
    assert await answer(made, request()) == [
        Queued(2),
        Queued(1),
        Started("scripted", Mode.GENERAL),
        Heartbeat(),
        Reasoning("hm"),
        Text("Hel"),
        Text("lo"),
        Finished(reason=FinishReason.STOP, usage=Usage(prompt_tokens=2, completion_tokens=2, reasoning_tokens=1)),
    ]


async def test_call_arguments_are_sent_byte_for_byte(tmp_path):
    """Broken JSON passes as it stands, and the namespace of the offered tool comes back on the call."""
    made = engine(tmp_path, r'{"calls": [{"name": "run", "id": "c1", "arguments": ["{\"a\":", " 1,"]}]}')
    events = await answer(made, request(tools=(ToolSpec(name="run", namespace="shell"),)))
    call = ToolCall(id="c1", name="run", arguments='{"a": 1,', namespace="shell")
    assert events[1:-1] == [
        CallOpened(0, "c1", "run", "shell"),
        CallArguments(0, '{"a":'),
        CallArguments(0, " 1,"),
        CallMade(0, call),
    ]
    assert events[-1].reason is FinishReason.TOOL_CALLS


async def test_one_call_is_left_when_parallel_calls_are_off(tmp_path):
    """The turn ends after the first call."""
    made = engine(tmp_path, '{"calls": [{"name": "a"}, {"name": "b"}]}')
    events = await answer(made, request(allow_parallel_calls=False))
    assert [event.name for event in events if isinstance(event, CallOpened)] == ["a"]


async def test_failure_takes_the_place_of_the_end(tmp_path):
    """After the pieces it was told to send, the reply fails in its own words."""
    made = engine(tmp_path, '{"text": ["a", "b"], "fail": {"after": 1, "message": "gone", "status": 502, "kind": "k"}}')
    events = await answer(made, request())
    assert events[1:] == [Text("a"), Failed(status=502, kind="k", message="gone")]


async def test_cut_stream_has_no_last_event(tmp_path):
    """A cut is what a client sees when an engine vanishes."""
    made = engine(tmp_path, '{"text": ["a", "b"], "cut": 1}')
    assert (await answer(made, request()))[1:] == [Text("a")]


async def test_stop_string_ends_the_text(tmp_path):
    """A stop string across two pieces is met and not sent."""
    made = engine(tmp_path, '{"text": ["one EN", "D two"], "calls": [{"name": "a"}]}')
    events = await answer(made, request(sampling=Sampling(stop=("END",))))
    assert "".join(event.text for event in events if isinstance(event, Text)) == "one "
    assert (events[-1].reason, events[-1].stop_sequence) == (FinishReason.STOP_SEQUENCE, "END")


@pytest.mark.parametrize(
    ("at_end", "expected"), [("last", ["a", "b", "b", "b"]), ("loop", ["a", "b", "a", "b"]), ("fail", ["a", "b"])]
)
async def test_at_end_decides_after_the_last_reply(tmp_path, at_end, expected):
    """Replies in order are used once; then the header's policy counts."""
    made = engine(tmp_path, f'{{"script": {{"at_end": "{at_end}"}}}}', '{"text": "a"}', '{"text": "b"}')
    events = [event for _ in range(4) for event in await answer(made, request())]
    assert [event.text for event in events if isinstance(event, Text)] == expected
    assert any(isinstance(event, Failed) and event.code == "script_exhausted" for event in events) is (at_end == "fail")


async def test_matching_line_wins_over_the_order_until_its_times_are_used(tmp_path):
    """A `when` looks at the last user or tool turn and at whether tools are offered."""
    made = engine(
        tmp_path,
        '{"text": "plain"}',
        '{"when": {"contains": ["x", "y"], "role": "tool"}, "times": 1, "text": "tool"}',
        '{"when": {"tools": true}, "text": "tools"}',
    )
    asked = [request("x y", role=Role.TOOL), request("x y", role=Role.TOOL), request(tools=(ToolSpec(name="a"),))]
    texts = [event.text for one in asked for event in await answer(made, one) if isinstance(event, Text)]
    assert texts == ["tool", "plain", "tools"]
    assert made.requests == asked


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ('{"text": 3}', "$.text"),
        ('{"txet": "a"}', "txet"),
        ('{"calls": [{"arguments": "{}"}]}', "name"),
        ('{"calls": [{"name": 1}]}', "$.calls[0].name"),
        ("{", "line 2"),
    ],
)
def test_bad_line_is_an_error_that_names_line_and_field(tmp_path, line, named):
    """The message is enough to find and mend the line."""
    with pytest.raises(ScriptError) as caught:
        engine(tmp_path, '{"text": "good"}', line)
    assert "line 2" in caught.value.message
    assert named in caught.value.message


def test_missing_and_empty_scripts_say_what_to_do(tmp_path):
    """No file and no replies are errors with a cure."""
    with pytest.raises(ScriptError, match="cannot be read"):
        ScriptedEngine(tmp_path / "none.jsonl")
    with pytest.raises(ScriptError, match="holds no replies"):
        engine(tmp_path, "# nothing", "")


async def test_documented_example_does_what_the_page_says(tmp_path):
    """The example of the documentation is a script that runs."""
    example = re.search(r"```jsonl\n(.*?)```", DOCS.read_text(), re.DOTALL)
    assert example is not None
    made = engine(tmp_path, *example[1].splitlines())
    tools = (ToolSpec(name="read_file"),)
    weather = await answer(made, request("how is the weather?"))
    called = await answer(made, request(tools=tools))
    told = await answer(made, request("def main", role=Role.TOOL, tools=tools))
    hello, broken, bye = [await answer(made, request()) for _ in range(3)]
    assert Text("I only know this repository.") in weather
    assert [e.call.arguments for e in called if isinstance(e, CallMade)] == ['{"path": "app.py"}']
    assert told[-1].usage == Usage(prompt_tokens=120, completion_tokens=8)
    assert Text("Hello.") in hello
    assert broken[-1] == Failed(status=503, kind="server_error", message="The engine ran out of memory.")
    assert Text("I have nothing more to say.") in bye


def test_description_is_local_and_names_the_file(tmp_path):
    """What the engine says of itself."""
    info = engine(tmp_path, '{"text": "a"}').describe()
    assert (info.kind, info.is_remote, info.window_tokens) == ("scripted", False, 32_768)
