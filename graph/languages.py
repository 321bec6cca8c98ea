"""The table of languages: which files are written in what, and which grammar reads them.

What it does not hold: the extraction itself (`graph.extract`) and which files count (`graph.files`). The rule that must
stay true: the answer is a pure function of the path and the first bytes, so it may be part of a cache key.
"""

from __future__ import annotations

import re
from typing import Literal

from msgspec import Struct

__all__ = ["HEAD_BYTES", "LANGUAGES", "SHEBANG_BYTES", "Language", "key_language", "language_named", "language_of"]

SHEBANG_BYTES = 256
"""As many first bytes as are looked at for a shebang; Linux itself reads no more of that line."""

HEAD_BYTES = 16_384
"""As many first bytes as `language_of` looks at: a header tells C from C++ behind its licence."""


class Language(Struct, frozen=True, kw_only=True):
    """One dialect with its own grammar."""

    name: str
    key: str
    """The language in the keys of symbols: `tsx` files and `typescript` files share `typescript`."""
    family: str
    """Which extractor reads it: `python`, `javascript`, `markdown`."""
    grammar: str
    """The Python package of the tree-sitter grammar."""
    suffixes: tuple[str, ...] = ()
    """Lower case, with the dot."""
    filenames: tuple[str, ...] = ()
    """Whole file names, lower case, for files that have no telling suffix."""
    shebangs: tuple[str, ...] = ()
    """Interpreters, without a version."""
    depth: Literal["calls", "imports", "prose"] = "calls"
    """How far it is understood: calls across files by scopes and types; definitions and imports (calls only where no
    type decides); sections and what they mention."""


LANGUAGES: tuple[Language, ...] = (
    Language(
        name="python",
        key="python",
        family="python",
        grammar="tree_sitter_python",
        suffixes=(".py", ".pyi", ".pyw"),
        filenames=("sconstruct", "sconscript", "wscript"),
        shebangs=("python", "pypy"),
    ),
    Language(
        name="javascript",
        key="javascript",
        family="javascript",
        grammar="tree_sitter_javascript",
        suffixes=(".js", ".mjs", ".cjs"),
        filenames=("jakefile",),
        shebangs=("node", "nodejs", "bun"),
    ),
    Language(
        name="jsx",
        key="javascript",
        family="javascript",
        grammar="tree_sitter_javascript",
        suffixes=(".jsx",),
    ),
    Language(
        name="typescript",
        key="typescript",
        family="javascript",
        grammar="tree_sitter_typescript",
        suffixes=(".ts", ".mts", ".cts"),
        shebangs=("deno", "ts-node", "tsx"),
    ),
    Language(
        name="tsx",
        key="typescript",
        family="javascript",
        grammar="tree_sitter_typescript",
        suffixes=(".tsx",),
    ),
    Language(name="go", key="go", family="go", grammar="tree_sitter_go", suffixes=(".go",)),
    Language(name="c", key="c", family="c", grammar="tree_sitter_c", suffixes=(".c", ".h")),
    Language(
        name="cpp",
        key="cpp",
        family="c",
        grammar="tree_sitter_cpp",
        suffixes=(
            ".cpp",
            ".cc",
            ".cxx",
            ".c++",
            ".hpp",
            ".hh",
            ".hxx",
            ".h++",
            ".ipp",
            ".tpp",
            ".inl",
            ".cppm",
            ".ixx",
        ),
    ),
    Language(name="java", key="java", family="java", grammar="tree_sitter_java", suffixes=(".java",)),
    Language(name="rust", key="rust", family="rust", grammar="tree_sitter_rust", suffixes=(".rs",)),
    Language(
        name="csharp",
        key="csharp",
        depth="imports",
        family="outline",
        grammar="tree_sitter_c_sharp",
        suffixes=(".cs", ".csx"),
    ),
    Language(
        name="ruby",
        key="ruby",
        depth="imports",
        family="outline",
        grammar="tree_sitter_ruby",
        suffixes=(".rb", ".rake", ".gemspec", ".ru", ".podspec"),
        filenames=("rakefile", "gemfile", "guardfile", "capfile", "podfile", "brewfile", "vagrantfile", "fastfile"),
        shebangs=("ruby", "jruby"),
    ),
    Language(
        name="php",
        key="php",
        depth="imports",
        family="outline",
        grammar="tree_sitter_php",
        suffixes=(".php", ".phtml", ".phpt"),
        shebangs=("php",),
    ),
    Language(
        name="kotlin",
        key="kotlin",
        depth="imports",
        family="outline",
        grammar="tree_sitter_kotlin",
        suffixes=(".kt", ".kts"),
        shebangs=("kotlin", "kscript"),
    ),
    Language(
        name="swift",
        key="swift",
        depth="imports",
        family="outline",
        grammar="tree_sitter_swift",
        suffixes=(".swift",),
        shebangs=("swift",),
    ),
    Language(
        name="scala",
        key="scala",
        depth="imports",
        family="outline",
        grammar="tree_sitter_scala",
        suffixes=(".scala", ".sc", ".sbt"),
        shebangs=("scala", "scala-cli", "amm"),
    ),
    Language(
        name="bash",
        key="bash",
        depth="imports",
        family="outline",
        grammar="tree_sitter_bash",
        suffixes=(".sh", ".bash", ".bats", ".ksh"),
        filenames=(".bashrc", ".bash_profile", ".bash_aliases", ".bash_logout", ".profile", ".envrc", "pkgbuild"),
        shebangs=("bash", "sh", "dash", "ksh", "bats"),
    ),
    Language(
        name="lua",
        key="lua",
        depth="imports",
        family="outline",
        grammar="tree_sitter_lua",
        suffixes=(".lua", ".rockspec"),
        filenames=(".luacheckrc", ".busted"),
        shebangs=("lua", "luajit", "texlua"),
    ),
    Language(
        name="rst",
        key="rst",
        depth="prose",
        family="rst",
        grammar="tree_sitter_rst",
        suffixes=(".rst", ".rest"),
    ),
    Language(
        name="markdown",
        key="markdown",
        depth="prose",
        family="markdown",
        grammar="tree_sitter_markdown",
        suffixes=(".md", ".mdx", ".markdown"),
    ),
)
"""In the order in which they are documented; no suffix, name or shebang stands in two rows (a test holds that)."""

_BY_NAME = {language.name: language for language in LANGUAGES}
_BY_SUFFIX = {suffix: language.name for language in LANGUAGES for suffix in language.suffixes}
_BY_FILENAME = {filename: language.name for language in LANGUAGES for filename in language.filenames}
_BY_SHEBANG = {shebang: language.name for language in LANGUAGES for shebang in language.shebangs}

_FOREIGN_HEADS: dict[str, tuple[bytes, ...]] = {
    # Qt's translation files are XML, MPEG transport streams begin with the sync byte: both are named `.ts` too.
    ".ts": (b"<?xml", b"<!DOCTYPE TS", b"<TS ", b"\x47\x40", b"\x47\x00"),
}

_CPP_HEAD = re.compile(
    rb"^[ \t]*(?:class\s+(?:[A-Z_]+\s+)?\w+(?:\s+final)?\s*[:;{\r\n]|namespace\b[\s\w:]*\{|template\s*<"
    rb"|using\s+\w[\w:\s]*[;=]|(?:public|private|protected)\s*:|(?:inline\s+)?constexpr\s|\[\["
    rb"|#\s*include\s*<[a-z_]+>)|\b[A-Za-z_]\w*::[~A-Za-z_]",
    re.MULTILINE,
)
"""What a header in C never holds: a class, a namespace, a template, `a::b`, `#include <vector>`."""

_NOT_C = re.compile(
    rb"/\*.*?(?:\*/|\Z)|//[^\r\n]*|^[ \t]*#[ \t]*ifdef[ \t]+__cplusplus.*?^[ \t]*#[ \t]*(?:endif|else)",
    re.MULTILINE | re.DOTALL,
)
"""What is left out of that: comments, and what a header in C says to C++ only."""


def language_of(path: str, head: bytes = b"") -> str | None:
    """Return the name of the `Language` of a file by its suffix, its name, else its shebang; None when it has none.

    `head` is the first bytes of the file, where they are at hand: they name the interpreter of a script without a
    suffix, and rule out other formats that share one.
    """
    filename = path.rsplit("/", 1)[-1].lower()
    dot = filename.rfind(".")
    if dot > 0 and filename[dot:] == ".h" and _CPP_HEAD.search(_NOT_C.sub(b"", head[:HEAD_BYTES])):
        return "cpp"
    if dot > 0 and (name := _BY_SUFFIX.get(filename[dot:])) is not None:
        foreign = _FOREIGN_HEADS.get(filename[dot:], ())
        return None if foreign and head.removeprefix(b"\xef\xbb\xbf").startswith(foreign) else name
    if (name := _BY_FILENAME.get(filename)) is not None:
        return name
    return _by_shebang(head) if dot <= 0 else None


def language_named(name: str) -> Language:
    """Return the row of a language; KeyError for a name that is not in the table."""
    return _BY_NAME[name]


def key_language(name: str) -> str:
    """Return the language as it stands in keys (`tsx` is `typescript`)."""
    return _BY_NAME[name].key


def _by_shebang(head: bytes) -> str | None:
    if not head.startswith(b"#!"):
        return None
    line = head[2:SHEBANG_BYTES].split(b"\n", 1)[0].decode("latin-1")
    words = [word.rsplit("/", 1)[-1] for word in line.split()]
    if words and words[0] == "env":
        # `env -S node --flag` and `env NAME=value python3`: the first word that is neither is the interpreter.
        words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    return _BY_SHEBANG.get(words[0].rstrip("0123456789.")) if words else None
