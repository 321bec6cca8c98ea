"""The official OpenAI SDK, parsing strictly, against a real server."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import openai
import pytest

from tests.requirements import requirement
from tests.serving import DEADLINE_S

_CHAT_TOOL = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "strict": True,
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}},
            "required": ["city"],
            "additionalProperties": False,
        },
    },
}
_TOOL = {"type": "function", "name": "get_weather", "parameters": {"type": "object", "properties": {}}, "strict": False}


@pytest.fixture(scope="module")
def sdk(live) -> Iterator[openai.OpenAI]:
    http = httpx.Client(trust_env=False, timeout=DEADLINE_S)
    with openai.OpenAI(
        base_url=f"{live.url}/v1", api_key="any", max_retries=0, http_client=http, _strict_response_validation=True
    ) as client:
        yield client


@requirement("sdk.chat")
def test_chat_whole(sdk):
    """An answer of Ask with its annotations."""
    answer = sdk.chat.completions.create(model="local-model", messages=[{"role": "user", "content": "Hi"}])
    message = answer.choices[0].message
    assert message.content == "Hello world.\n\nSources: shop/orders.py:4-6"
    assert message.annotations[0].url_citation.title == "shop/orders.py:4-6"
    assert answer.usage.total_tokens > 0


@requirement("sdk.chat")
def test_chat_streamed_with_the_helper(sdk):
    """The helper accumulates what the chunks say, usage included."""
    with sdk.chat.completions.stream(
        model="local-model",
        messages=[{"role": "user", "content": "weather"}],
        tools=[_CHAT_TOOL],
        stream_options={"include_usage": True},
    ) as stream:
        kinds = {event.type for event in stream}
        final = stream.get_final_completion()
    assert {"tool_calls.function.arguments.delta", "tool_calls.function.arguments.done"} <= kinds
    call = final.choices[0].message.tool_calls[0]
    assert (call.id, call.function.arguments) == ("call_1", '{"city": "Oslo"}')
    assert final.choices[0].finish_reason == "tool_calls"
    assert final.usage is not None


@requirement("sdk.chat")
def test_chat_streamed_text(sdk):
    """Plain chunks add up."""
    stream = sdk.chat.completions.create(
        model="local-model:general", messages=[{"role": "user", "content": "Hi"}], stream=True
    )
    assert "".join(chunk.choices[0].delta.content or "" for chunk in stream) == "Hello world."


@requirement("sdk.responses")
def test_responses_whole(sdk):
    """The text, and the fields that the models require."""
    response = sdk.responses.create(model="local-model", input="Hi", instructions="Be short.", metadata={"a": "b"})
    assert response.output_text.startswith("Hello world.")
    assert (response.status, response.instructions, response.metadata) == ("completed", "Be short.", {"a": "b"})
    assert response.usage.output_tokens_details.reasoning_tokens == 0


@requirement("sdk.responses")
def test_responses_streamed_with_the_helper(sdk):
    """The helper's final response is the completed one."""
    with sdk.responses.stream(model="local-model", input="Hi") as stream:
        events = list(stream)
        final = stream.get_final_response()
    assert [event.sequence_number for event in events] == list(range(len(events)))
    assert final.output_text.endswith("Sources: shop/orders.py:4-6")


@requirement("sdk.responses")
def test_responses_tool_round(sdk):
    """A call, then its result, then the answer."""
    first = sdk.responses.create(model="local-model", input="weather?", tools=[_TOOL])
    call = first.output[0]
    assert (call.type, call.arguments) == ("function_call", '{"city": "Oslo"}')
    second = sdk.responses.create(
        model="local-model",
        input=[
            {"role": "user", "content": "weather?"},
            *[item.model_dump(exclude_none=True) for item in first.output],
            {"type": "function_call_output", "call_id": call.call_id, "output": "7"},
        ],
        tools=[_TOOL],
    )
    assert second.output_text == "It is 7 degrees."


@requirement("sdk.responses")
def test_failures_raise_what_they_should(sdk):
    """A bad request, an unknown model and a broken stream are the SDK's own exceptions."""
    with pytest.raises(openai.BadRequestError, match="Nothing is stored here"):
        sdk.responses.create(model="local-model", input="Hi", store=True)
    with pytest.raises(openai.NotFoundError, match="Available: local-model"):
        sdk.responses.create(model="gpt-9", input="Hi")
    with pytest.raises(openai.APIError, match="It broke"):
        list(
            sdk.chat.completions.create(
                model="local-model", messages=[{"role": "user", "content": "fail late"}], stream=True
            )
        )


def test_models_are_listed_and_found(sdk):
    """With the aliases that clients may use."""
    assert [model.id for model in sdk.models.list()] == ["local-model", "other"]
    assert sdk.models.retrieve("other").id == "other"
    with pytest.raises(openai.NotFoundError):
        sdk.models.retrieve("none")
