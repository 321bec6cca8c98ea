"""What the server says once it answers."""

from __future__ import annotations

from roteiro.commands.welcome import Welcome


def test_with_a_model_it_says_where_to_go_and_what_clients_need():
    """Address, base URL, model, key, agent."""
    text = Welcome(root="/r", url="http://127.0.0.1:8017", models=("m",)).text()
    assert "open           http://127.0.0.1:8017\n" in text
    assert "http://127.0.0.1:8017/v1 " in text
    assert "model          m\n" in text
    assert "any; none is checked" in text
    assert "roteiro mcp --root /r" in text


def test_without_a_model_it_says_how_to_get_one():
    """Both ways, by the name that the program was started with."""
    text = Welcome(root="/r", url="u", program=".venv/bin/roteiro").text()
    assert ".venv/bin/roteiro model pull" in text
    assert ".venv/bin/roteiro serve --upstream URL" in text


def test_with_an_upstream_it_says_that_source_leaves_the_machine():
    """Once, at the start."""
    assert "source leaves this machine: box" in Welcome(root="/r", url="u", models=("m",), remote=("box",)).text()
