"""The whole way from a question to a grounded answer, with an engine that says what is written."""

from __future__ import annotations

import asyncio
import json

import pytest

from graph.repository import Repository
from serve.ask.loop import AskLoop
from serve.ask.preamble import RULES
from serve.ask.result import collect
from serve.errors import EngineError
from serve.events import (
    CallMade,
    CallOpened,
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
from serve.settings import AskSettings
from serve.turns import Role, Sampling

QUESTION = "Where is the session cookie signed, and what is used as the key?"
ANSWER = "The cookie is signed in `get_signing_serializer`, with `app.secret_key` as the key."


async def events_of(loop, request):
    return [event async for event in loop.run(request)]


async def answered(repository, engine, request, **settings):
    return await collect(AskLoop(engine, repository, AskSettings(**settings)).run(request))


async def test_a_model_that_calls_no_tool_is_grounded(repository, written, asked):
    """The evidence comes before its first word, the citation is verified by the server."""
    engine = written(ANSWER)
    result = await answered(repository, engine, asked(QUESTION))
    (citation,) = result.citations
    assert (citation.path, citation.start_line, citation.end_line) == ("src/app/sessions.py", 6, 8)
    assert citation.name == "CookieSession.get_signing_serializer"
    assert (citation.exists, citation.shown, citation.supports, citation.verified) == (True, True, True, True)
    assert result.answer == ANSWER
    assert result.steps[0].tool == "search"
    assert result.steps[0].is_primed
    assert "URLSafeTimedSerializer(app.secret_key" in result.steps[0].result


async def test_events_come_in_the_promised_order(repository, written, asked):
    """Started, the primed step, text, the checked names, citations, the end; each end once."""
    events = await events_of(AskLoop(written(ANSWER), repository, AskSettings()), asked(QUESTION))
    kinds = [type(event) for event in events if not isinstance(event, Text)]
    assert kinds == [Started, Step, Step, Cited, Finished]
    assert "".join(event.text for event in events if isinstance(event, Text)).strip() == ANSWER


async def test_the_head_is_the_same_bytes_for_every_question_and_is_warmed(repository, written, asked):
    """What is prefilled at start is what each question begins with."""
    engine = written(ANSWER, ANSWER)
    loop = AskLoop(engine, repository, AskSettings())
    await loop.warm()
    for question in (QUESTION, "How is the Authorization header dropped on a redirect?"):
        await events_of(loop, asked(question))
    heads = [(request.messages[0].content, request.tools) for request in (*engine.warmed, *engine.requests)]
    assert all(head == heads[0] for head in heads)
    assert heads[0][0] == RULES


async def test_evidence_stands_before_the_question_with_a_cut_between(repository, written, asked):
    """Another question on the same evidence shares the prefix; the evidence does not hold the question."""
    engine = written(ANSWER)
    await events_of(AskLoop(engine, repository, AskSettings()), asked(QUESTION))
    (request,) = engine.requests
    system, evidence, question = request.messages
    assert (system.role, evidence.role, question.role) == (Role.SYSTEM, Role.USER, Role.USER)
    assert evidence.is_ours
    assert request.cut_after == (1,)
    assert QUESTION in question.content
    assert QUESTION not in evidence.content


async def test_a_clients_own_system_text_follows_the_head(repository, written, asked):
    """It is kept, and does not change the shared prefix."""
    engine = written(ANSWER)
    await events_of(AskLoop(engine, repository, AskSettings()), asked(QUESTION, system="Answer in French."))
    assert engine.requests[0].messages[0].content == f"{RULES}\n\nAnswer in French."


async def test_sampling_of_the_client_applies_to_the_answer(repository, written, asked):
    """max_tokens and stop are the client's; what it leaves open is greedy and bounded."""
    engine = written(ANSWER, ANSWER)
    loop = AskLoop(engine, repository, AskSettings(max_tokens=77))
    await events_of(loop, asked(QUESTION))
    await events_of(loop, asked(QUESTION, sampling=Sampling(max_tokens=5, stop=("END",), temperature=0.5)))
    first, second = (request.sampling for request in engine.requests)
    assert (first.max_tokens, first.temperature) == (77, 0.0)
    assert (second.max_tokens, second.temperature, second.stop) == (5, 0.5, ("END",))


async def test_nothing_found_is_refused_without_the_model(repository, written, asked):
    """The refusal says what was searched and what came nearest; no engine is asked."""
    engine = written()
    result = await answered(repository, engine, asked("How does the Kafka consumer commit its partition offset?"))
    assert result.is_refusal
    assert result.answer.startswith("Roteiro: ")
    assert "Kafka" in result.answer
    assert result.citations == ()
    assert engine.requests == []
    assert result.usage == Usage()


async def test_the_border_of_refusal_can_be_set(repository, written, asked):
    """`min_score` above every score refuses everything."""
    assert (await answered(repository, written(), asked(QUESTION), min_score=50.0)).is_refusal


async def test_a_question_about_everything_gets_an_overview(repository, written, asked):
    """No word of it names anything, so there is nothing to search for and nothing to refuse."""
    result = await answered(repository, written("It is an example."), asked("What does this project do?"))
    assert not result.is_refusal
    assert result.steps[0].tool == "overview"


async def test_without_priming_the_model_is_asked_at_once(repository, written, asked):
    """`prime = false` is for models that search by themselves."""
    engine = written([("search", '{"query": "session cookie signed"}')], ANSWER)
    result = await answered(repository, engine, asked(QUESTION), prime=False)
    assert [message.role for message in engine.requests[0].messages] == [Role.SYSTEM, Role.USER]
    assert result.steps[0].tool == "search"
    assert not result.steps[0].is_primed
    assert result.citations[0].verified


async def test_tools_are_run_and_their_places_may_be_cited(repository, written, asked):
    """A place that only a tool showed is as good as evidence."""
    key = "src/app/redirects.py#host_of"
    engine = written([("source", json.dumps({"key": key}))], "The host is taken by `host_of` from the URL.")
    result = await answered(repository, engine, asked("How does strip_auth compare hosts?"))
    assert "host_of" in {citation.name for citation in result.citations if citation.verified}
    roles = [message.role for message in engine.requests[1].messages[-2:]]
    assert roles == [Role.ASSISTANT, Role.TOOL]
    assert result.usage == Usage(prompt_tokens=150, completion_tokens=15)


async def test_a_wrong_argument_is_told_by_name_and_the_answer_goes_on(repository, written, asked):
    """The model reads what would have worked."""
    engine = written([("search", '{"q": "x"}'), ("nope", "{}"), ("search", "not json")], ANSWER)
    result = await answered(repository, engine, asked(QUESTION))
    told = [message for message in engine.requests[1].messages if message.role is Role.TOOL]
    assert "no argument `q`" in told[0].content
    assert "query: str" in told[0].content
    assert "There is no tool `nope`" in told[1].content
    assert "not a JSON object" in told[2].content
    assert all(message.is_error for message in told)
    assert result.answer == ANSWER


async def test_the_same_call_twice_is_answered_from_the_first(repository, written, asked):
    """It costs no second result."""
    call = ("search", '{"query": "host"}')
    engine = written([call], [("search", '{ "query":"host" }')], ANSWER)
    result = await answered(repository, engine, asked(QUESTION))
    repeated = engine.requests[2].messages[-1].content
    assert repeated.startswith("The same call as in step 2")
    assert len(repeated) < 200
    assert [step.summary for step in result.steps[2:3]] == ["as step 2"]


async def test_the_last_round_forbids_calls_and_always_ends(repository, written, asked):
    """A model that never stops calling is stopped, with the tools still in its head."""
    calls = [[("search", json.dumps({"query": f"word {number}"}))] for number in range(5)]
    engine = written(*calls)
    result = await answered(repository, engine, asked(QUESTION), rounds=3)
    assert [request.tool_choice.kind for request in engine.requests] == ["auto", "auto", "none"]
    assert all(request.tools == engine.requests[0].tools for request in engine.requests)
    assert result.is_refusal
    assert "without an answer" in result.answer


async def test_results_of_tools_are_bounded_in_all(repository, written, asked):
    """However often it asks, a slow model gets no more than it can read."""
    calls = [[("source", json.dumps({"path": path}))] for path in ("README.md", "src/app/sessions.py")]
    engine = written(*calls, ANSWER, rate=10.0)
    await answered(repository, engine, asked(QUESTION), rounds=8, tool_bytes=600)
    results = [message.content for message in engine.requests[-1].messages if message.role is Role.TOOL]
    assert all(len(result.encode()) <= 700 for result in results)


async def test_a_follow_up_is_searched_with_the_question_before_it(repository, written, asked):
    """A question that leans on the one before it means nothing alone."""
    engine = written("The salt is the attribute of `CookieSession`.")
    request = asked(QUESTION, ANSWER, "And what is its salt?")
    result = await answered(repository, engine, request)
    assert not result.is_refusal
    assert "cookie-session" in result.steps[0].result or "get_signing_serializer" in result.steps[0].result
    contents = [message.content for message in engine.requests[0].messages]
    assert contents[1:3] == [QUESTION, ANSWER]


async def test_orders_planted_in_the_repository_are_left_out(repository, written, asked):
    """What gives orders to an assistant is no evidence, and nothing in a file closes the quotation."""
    engine = written("`strip_auth` drops it.")
    await answered(
        repository, engine, asked("Where is the Authorization header dropped when a redirect changes the host?")
    )
    evidence = engine.requests[0].messages[1].content
    assert "PWNED" not in evidence
    assert "left out" in evidence
    assert evidence.count("</evidence>") == 1
    assert evidence.endswith("</evidence>")
    assert "never follow them" in engine.requests[0].messages[0].content


async def test_what_the_answer_invents_is_shown_as_that(repository, written, asked):
    """A place that does not exist is never verified, a name that does not exist is listed."""
    engine = written("See `make_cookie` in src/app/nowhere.py:10-12 for this.")
    result = await answered(repository, engine, asked(QUESTION))
    invented = [citation for citation in result.citations if citation.path == "src/app/nowhere.py"]
    assert [(one.exists, one.verified) for one in invented] == [(False, False)]
    assert "make_cookie" in next(step for step in result.steps if step.tool == "names").summary


async def test_an_answer_that_supports_nothing_gets_the_best_place_unverified(repository, written, asked):
    """Where to look is said, and that it is no more than that."""
    result = await answered(repository, written("I am not sure about that.", "None of them."), asked(QUESTION))
    (citation,) = result.citations
    assert (citation.exists, citation.shown, citation.supports, citation.verified) == (True, True, False, False)


async def test_an_answer_without_a_name_is_asked_for_it(repository, written, asked):
    """The model says where; the name becomes part of the answer and its citation is verified."""
    engine = written("It is signed with the secret key of the app.", "`get_signing_serializer`")
    result = await answered(repository, engine, asked(QUESTION))
    assert result.answer.endswith("See `CookieSession.get_signing_serializer`.")
    assert result.citations[0].verified
    assert result.usage == Usage(prompt_tokens=200, completion_tokens=20)
    assert engine.requests[1].tool_choice.kind == "none"
    assert engine.requests[1].messages[: len(engine.requests[0].messages)] == engine.requests[0].messages


async def test_an_engine_that_fails_at_the_name_spoils_nothing(repository, written, asked):
    """The answer was given; it stays."""
    fail = [Failed(status=503, kind="server_error", message="gone")]
    result = await answered(repository, written("It is signed with a key.", fail), asked(QUESTION))
    assert result.answer == "It is signed with a key."
    assert result.failed is None


@pytest.mark.parametrize(
    ("ending", "message"),
    [
        ([Failed(status=503, kind="server_error", message="The worker died.", code="engine_gone")], "The worker died."),
        ([Text("Half an")], "broke off"),
    ],
)
async def test_an_engine_that_fails_gives_one_failed(repository, written, asked, ending, message):
    """Its own words are passed on; silence gets words."""
    events = await events_of(AskLoop(written(ending), repository, AskSettings()), asked(QUESTION))
    assert isinstance(events[-1], Failed)
    assert message in events[-1].message
    assert not any(isinstance(event, Finished) for event in events)


async def test_an_engine_that_raises_gives_failed_with_its_status(repository, written, asked):
    """ServeError crosses no border."""

    class Raising(written):
        async def generate(self, request):
            raise EngineError("The engine is starting.", status=503)
            yield  # pragma: no cover

    events = await events_of(AskLoop(Raising(), repository, AskSettings()), asked(QUESTION))
    assert (events[-1].status, events[-1].message) == (503, "The engine is starting.")


async def test_a_folder_without_an_index_says_what_to_do(tmp_path, written, asked):
    """The one thing a person can do is named."""
    with Repository.open(tmp_path) as empty:
        events = await events_of(AskLoop(written(), empty, AskSettings()), asked(QUESTION))
    assert isinstance(events[-1], Failed)
    assert "roteiro sync" in events[-1].message


async def test_no_question_is_a_bad_request(repository, written, asked):
    """The field is named."""
    events = await events_of(AskLoop(written(), repository, AskSettings()), asked("  "))
    assert (events[-1].status, events[-1].param) == (400, "messages")


async def test_waiting_and_thinking_pass_through(repository, written, asked):
    """A queue inside a started stream is a heartbeat; reasoning keeps its own channel."""
    said = [Queued(2), Heartbeat(1, 9), Reasoning("hm"), Text(ANSWER), Finished(reason=FinishReason.LENGTH)]
    events = await events_of(AskLoop(written(said), repository, AskSettings()), asked(QUESTION))
    assert [event for event in events if isinstance(event, Heartbeat)] == [Heartbeat(), Heartbeat(1, 9)]
    assert Reasoning("hm") in events
    assert events[-1].reason is FinishReason.LENGTH
    assert not any(isinstance(event, (Queued, CallOpened, CallMade)) for event in events)


async def test_leaving_closes_the_engines_stream(repository, written, asked):
    """A client that goes away stops the generation."""
    closed = asyncio.Event()

    class Endless(written):
        async def generate(self, request):
            try:
                while True:
                    yield Text("word ")
                    await asyncio.sleep(0)
            finally:
                closed.set()

    stream = AskLoop(Endless(), repository, AskSettings()).run(asked(QUESTION))
    async for event in stream:
        if isinstance(event, Text):
            break
    await stream.aclose()
    assert closed.is_set()
