"""What the docs say exists: links, commands, settings."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import msgspec
import pytest
import typer.main

from roteiro.cli import build
from roteiro.config.keys import TABLES, all_keys, flatten
from roteiro.reference import differences
from roteiro.reference.settings import _sentences
from serve.settings import UpstreamSettings

TREE = Path(__file__).parents[2]
PAGES = sorted(
    page for pattern in ("*.md", "docs/**/*.md", "adr/*.md") for page in TREE.glob(pattern) if page.name != "LICENSE"
)
COMMANDS = typer.main.get_command(build()).commands  # type: ignore[attr-defined] - it is a group


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(TREE)))
def test_every_relative_link_leads_somewhere(page):
    """Files and pictures; addresses of the web are not asked."""
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(TREE)))
def test_every_command_that_a_page_names_exists(page):
    """`roteiro something`, in running text or in a block."""
    for name in re.findall(r"(?:^|[`\s/])roteiro ([a-z]+)\b(?=[`\s,])", page.read_text(), re.MULTILINE):
        if name not in {"is", "serves", "says", "never"}:
            assert name in COMMANDS, name


def test_every_command_is_documented():
    """The index page names each."""
    text = (TREE / "docs" / "index.md").read_text()
    for name in COMMANDS:
        assert f"`roteiro {name}" in text or f"`{name}`" in text, name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(TREE)))
def test_every_module_that_a_page_names_exists(page):
    """The tour is worth nothing when it leads to modules that moved."""
    for name in re.findall(r"`((?:roteiro|graph|mcp_server|serve)/[\w/]+(?:\.py|/))`", page.read_text()):
        assert (TREE / name).exists(), name


def test_every_page_can_be_reached_from_the_index():
    """By links, from page to page."""
    docs = TREE / "docs"
    seen, waiting = set(), [docs / "index.md"]
    while waiting:
        page = waiting.pop()
        if page in seen or page.suffix != ".md" or docs not in page.parents:
            continue
        seen.add(page)
        waiting += [(page.parent / link).resolve() for link in re.findall(r"\]\(([^):#]+)", page.read_text())]
    assert seen == set(docs.rglob("*.md"))


def test_settings_in_examples_exist():
    """Each TOML block of the docs is read as settings."""
    for page in PAGES:
        for block in re.findall(r"```toml\n(.*?)```", page.read_text(), re.DOTALL):
            for name, _ in flatten(tomllib.loads(block)):
                assert name in all_keys(), name


def test_the_reference_pages_say_what_the_code_says():
    """Generated, so they cannot drift; the cure is `make docs`."""
    assert differences(TREE / "docs" / "reference") == []


@pytest.mark.parametrize("table", [*TABLES, "serve.upstream"])
def test_every_setting_says_what_it_means(table):
    """The sentence under the field, which is what the page shows."""
    struct = TABLES.get(table, UpstreamSettings)
    said = _sentences(struct)
    silent = [field.name for field in msgspec.structs.fields(struct) if not said.get(field.name)]
    assert set(silent) <= {"upstream", "engine"}


def test_every_decision_has_the_five_parts():
    """Context, choice, alternatives, consequences, and what would show it wrong."""
    for page in sorted((TREE / "adr").glob("*.md")):
        text = page.read_text()
        assert re.match(r"# \d{4}: ", text)
        for part in ("Context", "Choice", "Alternatives", "Consequences", "What would show it wrong"):
            assert f"**{part}.**" in text, (page.name, part)
