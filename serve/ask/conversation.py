"""A client's conversation as the messages of one generation: the head, the turns before, evidence, the question.

The order is made for the prefix cache: what all questions share comes first, then what this conversation shares, then
the evidence (a cut), and the question last. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from serve.ask.preamble import NAME_IT, REMINDER, RULES, tool_specs
from serve.ask.retrieval import Question
from serve.errors import BadRequestError
from serve.turns import GenerationRequest, Message, Mode, Role, Sampling, ToolCall, ToolChoice

__all__ = ["head_request", "naming", "question_of", "with_evidence", "with_results", "without_calls"]

_NAME_TOKENS = 24


def question_of(request: GenerationRequest) -> Question:
    """Return what is asked: the last user turn, and the user turn before it.

    Raises:
        BadRequestError: no user turn holds any text.

    """
    asked = [message.content for message in request.messages if message.role is Role.USER and message.content.strip()]
    if not asked:
        raise BadRequestError("There is no question: no user message holds any text.", param="messages")
    return Question(text=asked[-1], previous=asked[-2] if len(asked) > 1 else "")


def with_evidence(request: GenerationRequest, evidence: str, max_tokens: int) -> GenerationRequest:
    """Return the request of the first round. With empty evidence nothing is put before the question."""
    system = [RULES, *(message.content for message in request.messages if message.role is Role.SYSTEM)]
    turns = [message for message in request.messages if message.role is not Role.SYSTEM]
    at = max(index for index, message in enumerate(turns) if message.role is Role.USER and message.content.strip())
    messages = [Message(role=Role.SYSTEM, content="\n\n".join(filter(None, system))), *turns[:at]]
    cuts: tuple[int, ...] = ()
    if evidence:
        messages.append(Message(role=Role.USER, content=evidence, is_ours=True))
        cuts = (len(messages) - 1,)
    return replace(
        request,
        messages=(*messages, _reminded(turns[at]), *turns[at + 1 :]),
        tools=tool_specs(),
        tool_choice=ToolChoice(),
        allow_parallel_calls=True,
        sampling=_sampling(request.sampling, max_tokens),
        reasoning_budget=max_tokens // 2 if request.reasoning_budget is None else request.reasoning_budget,
        cut_after=cuts,
    )


def head_request(model: str) -> GenerationRequest:
    """Return a request whose head is that of every question, to warm an engine with."""
    asked = (Message(role=Role.USER, content="?"),)
    return with_evidence(GenerationRequest(id="warm", model=model, mode=Mode.ASK, messages=asked), "", 1)


def with_results(
    request: GenerationRequest, said: str, calls: Sequence[tuple[ToolCall, str, bool]]
) -> GenerationRequest:
    """Return the request of the next round: the model's turn and the result of each call, (call, text, is an error)."""
    results = [
        Message(role=Role.TOOL, content=text, tool_call_id=call.id, name=call.name, is_error=is_error, is_ours=True)
        for call, text, is_error in calls
    ]
    turn = Message(role=Role.ASSISTANT, content=said, tool_calls=tuple(call for call, _, _ in calls), is_ours=True)
    return replace(request, messages=(*request.messages, turn, *results))


def naming(request: GenerationRequest, said: str) -> GenerationRequest:
    """Return a request for the name that an answer left out; short, greedy, without calls."""
    turns = (
        Message(role=Role.ASSISTANT, content=said, is_ours=True),
        Message(role=Role.USER, content=NAME_IT, is_ours=True),
    )
    sampling = replace(request.sampling, max_tokens=_NAME_TOKENS, temperature=0.0)
    messages = (*request.messages, *turns)
    return replace(without_calls(request), messages=messages, sampling=sampling, reasoning_budget=0)


def without_calls(request: GenerationRequest) -> GenerationRequest:
    """Return the request of the last round. The tools stay in its head, which would otherwise be another prefix."""
    return replace(request, tool_choice=ToolChoice(kind="none"))


def _reminded(asked: Message) -> Message:
    """Return the question with the first rule after it: what a small model reads last it heeds most."""
    return replace(asked, content=f"{asked.content}\n\n{REMINDER}")


def _sampling(sampling: Sampling, max_tokens: int) -> Sampling:
    """Greedy unless the client says otherwise: an answer from evidence has one best wording."""
    return replace(
        sampling,
        max_tokens=max_tokens if sampling.max_tokens is None else sampling.max_tokens,
        temperature=0.0 if sampling.temperature is None else sampling.temperature,
    )
