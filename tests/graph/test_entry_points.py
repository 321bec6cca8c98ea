"""Where programs start."""

from __future__ import annotations

import json

import pytest

from graph.entry_points import entry_points
from graph.repository import Repository

PYPROJECT = """
[project.scripts]
shop = "shop.cli:run"
again = "shop:reexported"
gone = "nowhere:main"

[tool.poetry.scripts]
poet = "shop.cli:App.start"
"""


@pytest.fixture
def found(tmp_path):
    """Return a function that indexes files and gives (place, how it is declared) of the entry points."""

    def find(files, most=10):
        root = tmp_path / "repo"
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        with Repository.open(root, cache_home=tmp_path / "cache") as repository:
            repository.sync()
            points = entry_points(repository.store, repository.read_lines, most)
        return [
            (point.path if point.kind == "file" else f"{point.path}#{point.qualname}", point.declared)
            for point in points
        ]

    return find


def test_scripts_of_a_python_project_come_first(found):
    """A function; the module where an import binds the name; nothing for what leads nowhere."""
    files = {
        "pyproject.toml": PYPROJECT,
        "src/shop/__init__.py": "from .cli import run as reexported\n",
        "src/shop/cli.py": "def run():\n    pass\n\n\nclass App:\n    def start(self):\n        pass\n",
        "a/main.py": "def main():\n    pass\n",
    }
    assert found(files) == [
        ("src/shop/__init__.py", "again = shop:reexported"),
        ("src/shop/cli.py#App.start", "poet = shop.cli:App.start"),
        ("src/shop/cli.py#run", "shop = shop.cli:run"),
        ("a/main.py", ""),
        ("a/main.py#main", ""),
        ("src/shop/cli.py", ""),
    ]


def test_commands_and_main_of_a_package_lead_to_their_sources(found):
    """What was built is looked for where it was built from."""
    files = {
        "package.json": json.dumps({"name": "@x/tool", "bin": "./dist/cli.js", "main": "./dist/index.js"}),
        "packages/b/package.json": json.dumps({"name": "b", "bin": {"b-do": "do.mjs", "b-not": 3}}),
        "src/cli.ts": "export {}\n",
        "src/index.ts": "export {}\n",
        "packages/b/do.mjs": "export {}\n",
    }
    assert found(files) == [
        ("src/cli.ts", "bin: tool"),
        ("src/index.ts", "main of @x/tool"),
        ("packages/b/do.mjs", "bin: b-do"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "not toml [",
        "[project]\nscripts = 3\n",
        "project = 1\n",
        "x = " + "[" * 3_000,
        '[project.scripts]\na = ["b"]\n',
    ],
)
def test_a_malformed_project_file_declares_nothing(found, text):
    """It is a stranger's."""
    assert found({"pyproject.toml": text, "package.json": text, "a.py": "x = 1\n"}) == []


def test_no_more_than_asked_for(found):
    """The declared ones stay."""
    declared = '[project.scripts]\nshop = "shop.cli:run"\n'
    files = {"pyproject.toml": declared, "shop/cli.py": "def run():\n    pass\n", "main.py": "x = 1\n"}
    assert found(files, most=1) == [("shop/cli.py#run", "shop = shop.cli:run")]
