"""Adding a text and taking it out again."""

from __future__ import annotations

import json
import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roteiro.init.edits import Edit, Place, added, taken_out, undone_text
from roteiro.init.texts import AGENTS_BLOCK, HOOK_FILE, HOOK_LINES, codex_home, codex_server, json_entry, json_file

ENTRY = json_entry("roteiro", ["mcp"], with_type=False)
names = st.text('ab\\"{}: ', max_size=6)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | names, lambda inner: st.lists(inner) | st.dictionaries(names, inner)
)


@given(st.text("ab\r\n#`-", max_size=40))
def test_what_was_appended_comes_out_to_the_byte(before):
    """With or without a line break at the end."""
    after, text = added(before, AGENTS_BLOCK, "append")
    assert AGENTS_BLOCK in after
    assert taken_out(after, text) == before


@settings(max_examples=40, deadline=None)
@given(
    st.dictionaries(names | st.sampled_from(["mcpServers", "other"]), values, max_size=3), st.sampled_from([None, 1, 4])
)
def test_an_entry_in_any_json_object_comes_out_to_the_byte(document, indent):
    """Everything else keeps its meaning and its layout."""
    before = json.dumps(document, indent=indent)
    found = added(before, ENTRY, "mcpServers")
    servers = document.get("mcpServers", {})
    if not isinstance(servers, dict):
        assert found is None
        return
    after, text = found
    read = json.loads(after)
    assert read["mcpServers"].pop("roteiro") == {"command": "roteiro", "args": ["mcp"]}
    assert read["mcpServers"] == servers
    assert {key: value for key, value in read.items() if key != "mcpServers"} == {
        key: value for key, value in document.items() if key != "mcpServers"
    }
    assert taken_out(after, text) == before


@pytest.mark.parametrize(
    "before",
    [
        "",
        "not json",
        "[]",
        '{"mcpServers": {"roteiro": {}}}',
        '{"mcpServers": []}',
        '{"mcpServers": {}, // x\n}',
        "[" * 5_000,
    ],
)
def test_json_that_ours_does_not_fit_into_is_left_alone(before):
    """Also one that is there already."""
    assert added(before, ENTRY, "mcpServers") is None


@pytest.mark.parametrize(
    ("before", "fits"),
    [
        ("#!/bin/sh\nexec make\n", True),
        ("#!/usr/bin/env bash\n", True),
        ("#!/bin/bash -e\nexit 1\n", True),
        ("#!/usr/bin/env python3\nprint(1)\n", False),
        ("#!/bin/sh", False),
        ("make\n", False),
    ],
)
def test_shell_lines_come_before_a_script_can_end(before, fits):
    """Scripts of other languages are left alone."""
    found = added(before, HOOK_LINES, "shebang")
    assert (found is not None) == fits
    if found is not None:
        assert found[0].splitlines()[1] == HOOK_LINES.splitlines()[0]
        assert taken_out(*found) == before


def test_a_toml_file_stays_one():
    """A table that is there already cannot be added."""
    server = codex_server("roteiro", ["mcp"])
    after, _ = added('model = "x"\n[a]\nb = 1\n', server, "toml")
    assert tomllib.loads(after)["mcp_servers"]["roteiro"] == {"command": "roteiro", "args": ["mcp"]}
    assert added("[mcp_servers.roteiro]\ncommand = 1\n", server, "toml") is None
    assert added("broken = [", server, "toml") is None


def test_the_small_home_of_codex_is_valid_and_small():
    """What keeps its tools at 900 tokens."""
    read = tomllib.loads(codex_home('C:\\x "y"', ["mcp"], "http://127.0.0.1:8017/v1", "m", 32_768))
    assert read["model_providers"]["roteiro"]["wire_api"] == "responses"
    assert (read["web_search"], read["features"]["goals"], read["agents"]["enabled"]) == ("disabled", False, False)
    assert read["mcp_servers"]["roteiro"]["command"] == 'C:\\x "y"'


@pytest.mark.parametrize(
    ("whole", "part", "now", "rest"),
    [
        (AGENTS_BLOCK, AGENTS_BLOCK, f"mine\n{AGENTS_BLOCK}mine too\n", "mine\nmine too\n"),
        (HOOK_FILE, HOOK_LINES, HOOK_FILE.replace("#!/bin/sh", "#!/bin/bash") + "make\n", "#!/bin/bash\nmake\n"),
        (AGENTS_BLOCK, AGENTS_BLOCK, AGENTS_BLOCK.replace("search", "find"), None),
        (AGENTS_BLOCK, AGENTS_BLOCK, AGENTS_BLOCK * 2, None),
        (json_file("mcpServers", ENTRY), ENTRY, '{"mcpServers": {' + ENTRY + ',"x": {}}}', '{"mcpServers": {"x": {}}}'),
    ],
)
def test_a_file_of_ours_that_was_edited_loses_our_part_alone(whole, part, now, rest):
    """And nothing where ours was edited."""
    edit = Edit(place=Place("/x", "file.json" if now.startswith("{") else "file"), text=whole, created=True, part=part)
    assert undone_text(edit, now) == rest
