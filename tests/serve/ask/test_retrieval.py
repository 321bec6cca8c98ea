"""What is searched for a question, and how sure the result is."""

from __future__ import annotations

import pytest

from serve.ask.preamble import REMINDER, RULES, tool_specs
from serve.ask.retrieval import MIN_CONFIDENCE, Question, retrieve


def test_a_question_that_is_answered_here_is_above_the_border(repository):
    """And one about something else is below."""
    found = retrieve(repository, Question(text="Where is the session cookie signed?"))
    assert found.confidence > MIN_CONFIDENCE
    assert found.hits[0].name == "get_signing_serializer"
    for text in ("How is the Kafka offset committed?", "Where are invoices rendered as PDF?", "zzz", "!?"):
        assert retrieve(repository, Question(text=text)).confidence < MIN_CONFIDENCE


@pytest.mark.parametrize("name", ["`strip_auth`", "strip_auth", "redirects.strip_auth"])
def test_a_symbol_that_the_question_writes_as_code_is_the_first(repository, name):
    """A name is a name, whatever else the sentence says."""
    found = retrieve(repository, Question(text=f"What does {name} compare?"))
    assert found.hits[0].name == "strip_auth"
    assert found.confidence > MIN_CONFIDENCE


@pytest.mark.parametrize(
    ("text", "queries"),
    [
        ("And what is its salt?", ("Where is it signed? And what is its salt?",)),
        ("salt", ("Where is it signed? salt",)),
        (
            "Where does strip_auth drop the Authorization header?",
            (
                "Where does strip_auth drop the Authorization header?",
                "Where is it signed? Where does strip_auth drop the Authorization header?",
            ),
        ),
    ],
)
def test_a_follow_up_leans_on_the_question_before_it_only_as_far_as_it_must(repository, text, queries):
    """A full question is searched alone too; a remark only together."""
    assert retrieve(repository, Question(text=text, previous="Where is it signed?")).queries == queries


@pytest.mark.parametrize("text", ["What does this project do?", "How does the code work?", "what is it"])
def test_a_question_without_a_name_is_about_everything(text):
    """There is nothing to search for."""
    assert Question(text=text).is_about_everything


def test_filter_syntax_in_a_question_is_only_text(repository):
    """A question may hold colons, quotes and dashes."""
    assert retrieve(repository, Question(text='Why is `kind:widget` -ignored in "sessions"?')).hits


def test_the_head_is_short_and_says_nothing_of_a_repository():
    """About 400 tokens at most, at four characters a token or less."""
    signatures = sum(len(tool.name) + len(tool.description) + len(bytes(tool.parameters)) // 2 for tool in tool_specs())
    assert len(RULES) + signatures < 400 * 4
    assert [tool.name for tool in tool_specs()] == ["search", "source", "callers", "callees", "path"]
    assert all(b"description" not in bytes(tool.parameters) for tool in tool_specs())
    assert "backticks" in REMINDER
