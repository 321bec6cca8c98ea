"""What can go wrong while serving, and whose problem it is. No bad input ever becomes a 500.

ServeError                 carries kind (below), message, param, code, status
├── BadRequestError        400: the request; names the field
├── UnknownModelError      404: names what exists
├── ContextLengthError     400: prompt tokens and window
├── QueueFullError         429 (529 on Messages): Retry-After
├── TemplateRefusedError   400 (the client's own turns) or 422 (a turn of ours): the template's sentence verbatim
├── UnsupportedError       501: this engine cannot do it
├── EngineError            503 the engine is gone or starting, 502 the upstream's own words
└── BindError              never on a wire: the person's address cannot be served (taken, or not this machine's own)
"""

from __future__ import annotations

__all__ = [
    "BadRequestError",
    "BindError",
    "ContextLengthError",
    "EngineError",
    "QueueFullError",
    "ServeError",
    "TemplateRefusedError",
    "UnknownModelError",
    "UnsupportedError",
]


class ServeError(Exception):
    """An error with the data that each wire needs to tell it in its own envelope."""

    status: int = 500
    kind: str = "server_error"

    def __init__(
        self, message: str, *, param: str | None = None, code: str | None = None, status: int | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.param = param
        self.code = code
        if status is not None:
            self.status = status


class BadRequestError(ServeError):
    """The request is at fault; `param` is the path of the field."""

    status = 400
    kind = "invalid_request_error"


class UnknownModelError(ServeError):
    """No model of that name; never answered by another one."""

    status = 404
    kind = "not_found_error"

    def __init__(self, model: str, known: tuple[str, ...]) -> None:
        self.model = model
        self.known = known
        listed = ", ".join(known) if known else "none"
        super().__init__(
            f"The model {model!r} does not exist here. Available: {listed}.",
            param="model",
            code="model_not_found",
        )


class ContextLengthError(ServeError):
    """The prompt does not fit the window; it is never truncated."""

    status = 400
    kind = "invalid_request_error"

    def __init__(self, prompt_tokens: int, window_tokens: int, *, is_least: bool = False) -> None:
        self.prompt_tokens = prompt_tokens
        self.window_tokens = window_tokens
        found = f"at least {prompt_tokens}" if is_least else str(prompt_tokens)
        super().__init__(
            f"This request has {found} prompt tokens; the window of this model here is {window_tokens} tokens.",
            param="messages",
            code="context_length_exceeded",
        )


class QueueFullError(ServeError):
    """Too many requests wait; `retry_after_s` says when to come back."""

    status = 429
    kind = "rate_limit_error"

    def __init__(self, waiting: int, retry_after_s: int) -> None:
        self.waiting = waiting
        self.retry_after_s = retry_after_s
        super().__init__(f"{waiting} requests are waiting already. Try again in {retry_after_s} s.", code="queue_full")


class TemplateRefusedError(ServeError):
    """The model's own chat template refused the conversation; the message is the template's sentence."""

    status = 400
    kind = "invalid_request_error"


class UnsupportedError(ServeError):
    """This engine cannot do what was asked."""

    status = 501
    kind = "not_supported_error"


class EngineError(ServeError):
    """The engine is gone, or an upstream failed."""

    status = 503
    kind = "server_error"


class BindError(ServeError):
    """The address cannot be served; the message says by whom it is taken, or why it is refused."""

    status = 503
