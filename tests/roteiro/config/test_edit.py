"""One key changes in the text of a settings file, and nothing else."""

from __future__ import annotations

import tomllib

import pytest

from roteiro.config.edit import with_key, without_key
from roteiro.config.user_file import change
from roteiro.errors import ConfigError, UsageError

TEXT = """\
# mine
[serve]
addr = "127.0.0.1:1"  # not 8017
aliases = {a = "b"}

[index]
exclude = [
  "vendor/",  # theirs
  "*.min.js",
]

[[serve.upstream]]
base_url = "http://a/v1"
[[serve.upstream]]
base_url = "http://b/v1"

[logs]
level = "debug"
"""


def test_a_key_that_stands_there_is_replaced_in_its_place():
    """The comment above and the other lines stay."""
    new = with_key(TEXT, "serve.addr", "127.0.0.1:2")
    assert new == TEXT.replace('addr = "127.0.0.1:1"  # not 8017', 'addr = "127.0.0.1:2"')


def test_a_new_key_goes_to_the_head_of_its_table():
    """After the header."""
    assert "[logs]\nprompts = true\nlevel" in with_key(TEXT, "logs.prompts", value=True)


def test_a_new_table_goes_to_the_end():
    """Also into an empty file."""
    assert with_key(TEXT, "ask.rounds", 2) == f"{TEXT}\n[ask]\nrounds = 2\n"
    assert with_key("", "ask.rounds", 2) == "[ask]\nrounds = 2\n"


def test_lists_over_several_lines_are_replaced_whole():
    """By one line."""
    assert tomllib.loads(with_key(TEXT, "index.exclude", ["a"]))["index"]["exclude"] == ["a"]


def test_upstreams_are_replaced_by_tables():
    """Both go, one comes."""
    new = with_key(TEXT, "serve.upstream", [{"base_url": "http://c/v1"}])
    assert tomllib.loads(new)["serve"]["upstream"] == [{"base_url": "http://c/v1"}]
    assert tomllib.loads(new)["logs"] == {"level": "debug"}


@pytest.mark.parametrize("name", ["serve.addr", "serve.aliases", "index.exclude", "serve.upstream", "logs.level"])
def test_a_key_taken_out_stays_as_a_comment(name):
    """Nothing that a person wrote is lost."""
    new = without_key(TEXT, name)
    assert len(new.splitlines()) == len(TEXT.splitlines())
    assert new.replace("# ", "") == TEXT.replace("# ", "")


def test_a_key_that_is_not_there_is_told():
    """Instead of a change that changes nothing."""
    with pytest.raises(ConfigError, match=r"ask\.rounds cannot be taken out"):
        without_key(TEXT, "ask.rounds")


def test_a_form_that_cannot_be_changed_safely_is_left_alone():
    """An inline table holds more than the key."""
    with pytest.raises(ConfigError, match="by hand"):
        with_key('serve = {addr = "127.0.0.1:1", queue = 2}\n', "serve.addr", "127.0.0.1:2")


def test_a_table_within_text_is_no_table():
    """The new text is read back before it counts."""
    text = '[serve]\nmodel = """\n[ask]\n"""\n'
    with pytest.raises(ConfigError):
        with_key(text, "ask.rounds", 1)


def test_the_file_is_made_and_changed_from_the_command_line(roteiro, repository, tmp_path):
    """The value and its origin are shown at once."""
    ran = roteiro("config", "--root", repository, "--set", "serve.queue=3", "--set", "index.exclude=a,b", "--json")
    rows = {row["key"]: row for row in ran.json["settings"]}
    assert rows["serve.queue"] == {"key": "serve.queue", "value": 3, "origin": ran.json["user_file"]}
    assert rows["index.exclude"]["value"] == ["a", "b"]
    ran = roteiro("config", "--root", repository, "--unset", "serve.queue", "--json")
    assert {row["key"]: row["origin"] for row in ran.json["settings"]}["serve.queue"] == "default"


@pytest.mark.parametrize(
    ("pair", "said"),
    [
        ("serve.queue", "has no value"),
        ("serve.qeue=3", "Nearest: serve.queue."),
        ("serve.queue=many", "serve.queue=many"),
        ("serve.queue=-1", "must not be negative"),
        ("serve.addr=nowhere", "is not HOST:PORT"),
    ],
)
def test_what_cannot_be_set_leaves_the_file_alone(tmp_path, pair, said):
    """Not even made."""
    with pytest.raises((ConfigError, UsageError), match=said):
        change([pair], [], tmp_path / "config.toml")
    assert not (tmp_path / "config.toml").exists()


def test_a_link_stays_a_link(tmp_path):
    """Settings kept in a folder of dotfiles."""
    real = tmp_path / "dotfiles.toml"
    real.write_text(TEXT)
    link = tmp_path / "config.toml"
    link.symlink_to(real)
    change(["ask.rounds=2"], [], link)
    assert link.is_symlink()
    assert "rounds = 2" in real.read_text()
