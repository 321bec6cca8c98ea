"""`roteiro serve` and `roteiro ask` as processes: started, asked, refused, ended."""

from __future__ import annotations

import json
import signal

import httpx
import pytest

QUESTION = "where is one item of the stock reserved?"


def test_a_question_to_the_running_server_is_answered_with_citations(running, process, monkeypatch):
    """`roteiro ask` finds the server of this repository and starts nothing of its own."""
    monkeypatch.setenv("ROTEIRO_SERVE_ADDR", running["address"])
    done = process("ask", "--root", running["root"], "--json", *QUESTION.split())
    assert done.returncode == 0, done.stderr
    assert "asking the server at" in done.stderr
    answer = json.loads(done.stdout)
    assert answer["answer"] == "`place` calls `reserve`."
    assert {(c["path"], c["verified"]) for c in answer["citations"]} & {
        ("shop/orders.py", True),
        ("shop/stock.py", True),
    }
    assert answer["steps"][0]["tool"] == "search"
    assert answer["ms"] >= 0


def test_without_a_server_ask_starts_an_engine_and_says_so(process, repository, script):
    """The text goes to stdout, everything else to stderr."""
    done = process("ask", "--root", repository, "--script", script, QUESTION)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("`place` calls `reserve`.\n\nSources\n  shop/")
    assert "starting scripted" in done.stderr
    assert f"search {QUESTION}" in done.stderr


def test_a_server_of_another_repository_is_not_asked(running, run, repository, monkeypatch):
    """The root must be the same."""
    monkeypatch.setenv("ROTEIRO_SERVE_ADDR", running["address"])
    done = run("ask", "--root", repository, QUESTION)
    assert done.returncode == 1
    assert "roteiro model pull" in done.stderr or "local engine" in done.stderr


def test_the_same_repository_is_not_served_twice(running, run):
    """The second is told where the first is."""
    done = run("serve", "--root", running["root"], "--addr", running["address"])
    assert done.returncode == 1
    assert f"Roteiro already serves {running['root']} at {running['url']}" in done.stderr


def test_a_port_of_another_repository_or_program_is_named(running, run, repository):
    """With the way out."""
    done = run("serve", "--root", repository, "--addr", running["address"])
    assert done.returncode == 1
    assert f"is taken by a Roteiro that serves {running['root']}" in done.stderr
    assert "Traceback" not in done.stderr


def test_without_model_and_upstream_the_server_starts_and_ask_says_how_to_get_one(served, repository):
    """The page, the search and the file view work; the answer is an error that names both ways."""
    server = served("--root", repository)
    assert server["models"] == []
    assert httpx.get(server["url"]).status_code == 200
    refused = httpx.post(
        f"{server['url']}/v1/chat/completions", json={"model": "x", "messages": [{"role": "user", "content": "hi"}]}
    )
    assert refused.status_code == 503
    message = refused.json()["error"]["message"]
    assert "roteiro model pull" in message
    assert "--upstream" in message


def test_an_upstream_answers_ask(running, run, repository, home):
    """A second Roteiro stands in for any OpenAI-compatible server."""
    settings = home / "config" / "roteiro" / "config.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text(f'[[serve.upstream]]\nbase_url = "{running["url"]}/v1"\nmodel = "scripted:general"\n')
    done = run("ask", "--root", repository, "--json", QUESTION)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["answer"] == "`place` calls `reserve`."


def test_an_upstream_that_is_not_there_is_told_in_one_line(run, repository):
    """With its address."""
    done = run("ask", "--root", repository, "--upstream", "http://127.0.0.1:9/v1", QUESTION)
    assert done.returncode == 1
    assert "127.0.0.1:9" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_repository_cannot_name_an_upstream(run, repository):
    """`roteiro.toml` of the analysed repository is hostile data."""
    (repository / "roteiro.toml").write_text('[[serve.upstream]]\nbase_url = "http://evil.example/v1"\n')
    done = run("ask", "--root", repository, QUESTION)
    assert done.returncode == 2
    assert "serve.upstream cannot be set by a repository" in done.stderr


def test_an_address_that_is_not_this_machine_is_refused(run, repository, script):
    """Nobody is let in without authentication."""
    done = run("serve", "--root", repository, "--addr", "0.0.0.0:0", "--engine", "scripted", "--script", script)
    assert done.returncode == 1
    assert "0.0.0.0 is not this machine's own address" in done.stderr


def test_a_script_that_cannot_be_read_stops_the_start(run, repository, tmp_path):
    """It was named, so nothing else is served in its place."""
    done = run(
        "serve", "--root", repository, "--port", "0", "--engine", "scripted", "--script", tmp_path / "none.jsonl"
    )
    assert done.returncode == 1
    assert "none.jsonl" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(("options", "is_logged"), [([], False), (["--log-prompts"], True)])
def test_the_log_holds_a_question_only_when_asked(served, repository, script, home, options, is_logged):
    """Questions can hold source and secrets; what every line holds is the id of its request. Ctrl-C ends it well."""
    server = served("--root", repository, "--engine", "scripted", "--script", script, *options)
    answer = httpx.post(f"{server['url']}/api/ask", json={"question": "where is hunter2 used?"}, timeout=60)
    process = server["process"]
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 0
    log = (home / "state" / "roteiro" / "roteiro.log").read_text()
    assert answer.headers["x-request-id"] in log
    assert ("hunter2" in log) is is_logged
