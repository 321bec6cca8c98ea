"""The commands that ask what stands where and what depends on what."""

from __future__ import annotations

import pytest

STOCK = "shop/stock.py"


@pytest.fixture
def asked(roteiro, repository):
    """Return a function that asks about the small shop."""
    roteiro("sync", "--root", repository)
    return lambda *arguments: roteiro(*arguments, "--root", repository)


def test_impact_takes_a_symbol_or_a_revision(asked, repository):
    """Both answer in one form."""
    ran = asked("impact", "reserve", "--json")
    assert [one["name"] for one in ran.json["reached"]] == ["place"]
    (repository / STOCK).write_text((repository / STOCK).read_text().replace("(item)", "(item, many=1)"))
    changed = asked("impact", "--base", "HEAD", "--json").json
    assert changed["base"] == "HEAD"
    assert [one["name"] for one in changed["of"]] == ["reserve"]
    assert asked("impact").code == 2


def test_changes_are_those_of_the_work_tree(asked, repository):
    """Exit code 1 when nothing differs, as with any other empty list."""
    assert asked("changes", "HEAD").code == 1
    (repository / STOCK).write_text((repository / STOCK).read_text() + "\n\ndef more():\n    return 1\n")
    ran = asked("changes", "HEAD")
    assert ran.code == 0
    assert f"+ {STOCK}:" in ran.out
    assert [change["status"] for change in asked("changes", "HEAD", "--path", "shop", "--json").json["changes"]] == [
        "added"
    ]


def test_explain_outline_and_list_kind_answer(asked):
    """One look at each."""
    assert "is called by (1):" in asked("explain", "reserve").out
    assert [entry["name"] for entry in asked("outline", STOCK, "--json").json["entries"]] == ["reserve"]
    assert asked("list-kind", "function", "--json").json["total"] >= 2
    assert asked("list-kind", "enum").code == 1


def test_debt_takes_categories_in_any_form(asked, repository):
    """One word each, or separated by commas."""
    (repository / "owed.py").write_text("# TODO: one\n# HACK: two\n# FIXME: three\n")
    assert asked("debt", "--json").json["total"] == 3
    assert asked("debt", "todo", "hack", "--json").json["total"] == 2
    assert asked("debt", "todo,fixme", "--json").json["total"] == 2


def test_a_further_page_is_said_in_the_words_of_the_command_line(asked, repository):
    """What a person types next."""
    (repository / "owed.py").write_text("# TODO: one\n# TODO: two\n")
    assert "1 more markers of 2: --cursor 1" in asked("debt", "--limit", "1").out
