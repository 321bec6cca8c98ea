"""Errors in the shape that the client reads."""

from __future__ import annotations

import json

import pytest

from serve.errors import BadRequestError, QueueFullError, UnknownModelError
from serve.wire.failures import envelope, failed, headers_of, prefers_problem, problem
from tests.requirements import requirement


def test_the_envelope_carries_what_the_error_does():
    """Message, type, param and code, each in its place."""
    error = BadRequestError("Bad.", param="a.b", code="c")
    assert envelope(failed(error)) == {
        "error": {"message": "Bad.", "type": "invalid_request_error", "param": "a.b", "code": "c"}
    }


@requirement("errors.problem-json")
def test_a_problem_names_the_models_that_exist():
    """RFC 9457, with an extension member."""
    error = UnknownModelError("x", ("a", "b"))
    body = json.loads(problem(failed(error), error))
    assert (body["status"], body["title"], body["validModels"]) == (404, "Not Found", ["a", "b"])


@pytest.mark.parametrize(
    ("accept", "wanted"),
    [
        ("application/problem+json", True),
        ("application/problem+json, application/json;q=0.9", True),
        ("application/json, application/problem+json;q=0.5", False),
        ("application/json, application/problem+json", False),
        ("*/*", False),
        ("", False),
        ("application/problem+json;q=x", False),
        ("application/problem+json;q=0", False),
    ],
)
def test_problem_json_is_for_who_prefers_it(accept, wanted):
    """Merely admitting it is not preferring it."""
    assert prefers_problem(accept) is wanted


def test_a_full_queue_says_when_to_come_back():
    """Clients read the header."""
    assert headers_of(QueueFullError(16, 42)) == {"retry-after": "42"}
