"""The routes that generate: Chat Completions, Responses, and the page's own stream of events."""

from __future__ import annotations

import time
from typing import Any

from litestar import Request, post
from litestar.handlers import HTTPRouteHandler
from litestar.response.base import ASGIResponse

from serve.errors import BadRequestError
from serve.events import Failed
from serve.http.errors import failure_response
from serve.http.live import LiveResponse, first_events, frames, plain_response, whole_answer
from serve.http.run import Run
from serve.http.service import Service
from serve.turns import GenerationRequest, Mode
from serve.wire.answer import Encoder, Occasion
from serve.wire.arrival import Arrival
from serve.wire.ask import AskAnswer, decode_question
from serve.wire.chat import decode_chat
from serve.wire.chat_answer import ChatAnswer
from serve.wire.fields import shorten
from serve.wire.responses import decode_responses
from serve.wire.responses_answer import ResponsesAnswer

__all__ = ["generation_routes"]

_Request = Request[Any, Any, Any]
_BASES = ("/v1", "/v1/{project:str}", "/general/v1", "/ask/v1")


def generation_routes(service: Service) -> list[HTTPRouteHandler]:
    """Return the handlers of this module."""

    @post([f"{base}/chat/completions" for base in _BASES], status_code=200)
    async def chat(request: _Request) -> ASGIResponse:
        arrival = _arrival(request, service)
        wanted = decode_chat(await request.body(), arrival)
        encoder = ChatAnswer(_occasion(service, wanted.generation), include_usage=wanted.include_usage)
        return await _respond(request, service, wanted.generation, encoder, is_stream=wanted.is_stream)

    @post([f"{base}/responses" for base in _BASES], status_code=200)
    async def responses(request: _Request) -> ASGIResponse:
        arrival = _arrival(request, service)
        wanted = decode_responses(await request.body(), arrival)
        encoder = ResponsesAnswer(_occasion(service, wanted.generation), wanted.echo)
        return await _respond(request, service, wanted.generation, encoder, is_stream=wanted.is_stream)

    @post("/api/ask", status_code=200)
    async def ask(request: _Request) -> ASGIResponse:
        generation = decode_question(await request.body(), _arrival(request, service))
        encoder = AskAnswer(exposes_reasoning=service.settings.reasoning == "expose")
        return await _respond(request, service, generation, encoder, is_stream=True)

    return [chat, responses, ask]


def _arrival(request: _Request, service: Service) -> Arrival:
    project = request.path_params.get("project", service.project)
    if project != service.project:
        message = f"The project {shorten(project)} does not exist here; {service.project!r} does."
        raise BadRequestError(message, code="project_not_found", status=404)
    path = request.url.path
    return Arrival(
        id=request.scope["state"]["request_id"],
        models=service.model_ids,
        settings=service.settings,
        project=service.project,
        mode_header=request.headers.get("x-roteiro-mode"),
        mode_of_path=next((mode for mode in Mode if path.startswith(f"/{mode.value}/")), None),
        turn_metadata=request.headers.get("x-codex-turn-metadata"),
    )


def _occasion(service: Service, generation: GenerationRequest) -> Occasion:
    return Occasion(
        generation=generation,
        created_at=int(time.time()),
        base_url=service.url,
        exposes_reasoning=service.settings.reasoning == "expose",
        version=service.version,
    )


async def _respond(
    request: _Request, service: Service, generation: GenerationRequest, encoder: Encoder, *, is_stream: bool
) -> ASGIResponse:
    """Run the request and answer as a stream or whole; an answer that fails at once fails with its own status."""
    run = service.run(generation)
    try:
        if is_stream:
            first = await first_events(run)
            if not first or not isinstance(first[-1], Failed):
                return LiveResponse(run, frames(run, encoder, first), _headers(generation, run))
            failure: Failed | None = first[-1]
        else:
            await whole_answer(request, run, encoder)
            failure = encoder.failure
    except BaseException:
        run.stop()
        raise
    run.stop()
    if failure is not None:
        answer = failure_response(request, failure)
        return answer.to_asgi_response(None, request)  # pyright: ignore[reportUnknownMemberType] # litestar's request
    return plain_response(encoder.whole(), _headers(generation, run))


def _headers(generation: GenerationRequest, run: Run) -> dict[str, str]:
    """Return what an answer tells beside its body; the detail of tools only when the engine said it in time."""
    detail = {"x-roteiro-tool-detail": run.tool_detail} if run.tool_detail else {}
    return {"x-roteiro-mode": generation.mode.value, **detail}
