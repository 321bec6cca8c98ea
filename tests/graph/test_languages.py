"""The table of languages."""

from __future__ import annotations

from collections import Counter
from importlib.util import find_spec

import pytest

from graph.languages import LANGUAGES, key_language, language_named, language_of


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("src/app.py", "python"),
        ("stubs/app.pyi", "python"),
        ("gui.pyw", "python"),
        ("index.js", "javascript"),
        ("index.mjs", "javascript"),
        ("config.cjs", "javascript"),
        ("view.jsx", "jsx"),
        ("a.ts", "typescript"),
        ("a.d.ts", "typescript"),
        ("a.mts", "typescript"),
        ("a.cts", "typescript"),
        ("view.tsx", "tsx"),
        ("cmd/main.go", "go"),
        ("src/lib.rs", "rust"),
        ("README.md", "markdown"),
        ("page.mdx", "markdown"),
        ("README.MARKDOWN", "markdown"),
        ("Main.PY", "python"),
        ("SConstruct", "python"),
        ("Program.cs", "csharp"),
        ("lib/app.rb", "ruby"),
        ("Rakefile", "ruby"),
        ("Gemfile", "ruby"),
        ("index.php", "php"),
        ("Main.kt", "kotlin"),
        ("build.gradle.kts", "kotlin"),
        ("App.swift", "swift"),
        ("Main.scala", "scala"),
        ("build.sbt", "scala"),
        ("deploy.sh", "bash"),
        (".bashrc", "bash"),
        ("init.lua", "lua"),
        ("Makefile", None),
        ("photo.png", None),
        (".py", None),
        ("dir.py/notes", None),
        ("", None),
    ],
)
def test_a_file_is_known_by_its_suffix_or_its_name(path: str, language: str | None) -> None:
    """Case does not matter, folders do not count, and a dot file is no suffix."""
    assert language_of(path) == language


@pytest.mark.parametrize(
    ("head", "language"),
    [
        (b"#!/usr/bin/python3.11\nimport os\n", "python"),
        (b"#!/usr/bin/env node\n", "javascript"),
        (b"#!/usr/bin/env -S deno run --allow-net\n", "typescript"),
        (b"#! /usr/bin/env LANG=C pypy3 -u\n", "python"),
        (b"#!/bin/sh\n", "bash"),
        (b"#!/usr/bin/env -S ruby -w\n", "ruby"),
        (b"#!/usr/bin/php8.3\n", "php"),
        (b"#!/usr/bin/lua5.4\n", "lua"),
        (b"#!/usr/bin/env kotlin\n", "kotlin"),
        (b"#!/bin/awk -f\n", None),
        (b"#!\n", None),
        (b"#!/usr/bin/env\n", None),
        (b"\xff\xfe#!/usr/bin/node", None),
        (b"", None),
    ],
)
def test_a_script_without_suffix_is_known_by_its_shebang(head: bytes, language: str | None) -> None:
    """The interpreter counts without its folder, its version and `env`."""
    assert language_of("bin/tool", head) == language


def test_a_foreign_suffix_wins_over_a_shebang() -> None:
    """A `.txt` that begins with a shebang is still a text."""
    assert language_of("notes.txt", b"#!/usr/bin/python3\n") is None


@pytest.mark.parametrize(
    "head", [b'<?xml version="1.0"?><!DOCTYPE TS>', b"\xef\xbb\xbf<TS version='2.1'>", b"\x47\x40\x11"]
)
def test_other_formats_named_ts_are_no_typescript(head: bytes) -> None:
    """Qt translations and MPEG streams share the suffix."""
    assert language_of("app_de.ts", head) is None
    assert language_of("app.ts", b"export const a = 1\n") == "typescript"


def test_no_suffix_name_or_shebang_is_claimed_twice() -> None:
    """The table would otherwise depend on its order."""
    claims = Counter(claim for row in LANGUAGES for claim in (*row.suffixes, *row.filenames, *row.shebangs))
    assert [claim for claim, times in claims.items() if times > 1] == []


def test_every_grammar_is_installed_and_every_key_is_a_language() -> None:
    """A missing grammar must be noticed here and never give an empty graph."""
    for row in LANGUAGES:
        assert find_spec(row.grammar) is not None
        assert language_named(row.key).key == row.key
        assert key_language(row.name) == row.key
