"""The tree of a revision and the bytes of its files, from git's object store alone: the work tree is never looked at.

The rule that must stay true: what a person or a model writes as a revision is checked before git sees it, so it can
never be read as an option.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path

from graph.errors import ArgumentError, RootError
from graph.git import run_git

__all__ = ["commit_of", "file_blobs", "read_blobs"]

_WRITTEN = re.compile(r"@|[\w@][\w./@^~{}+=-]*")
"""What names a revision: branches, tags, ids, `HEAD~3`, `@{upstream}`, `main...`."""
_MOST_WRITTEN = 200
_EMPTY_TREES = {
    40: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    64: "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}
"""The tree without entries, by the length of an id; git knows both without having them stored."""
_BLOBS_AT_ONCE = 100


def commit_of(top: Path, written: str) -> str:
    """Return the id of the commit that a revision names; `main...` is where this branch left `main`.

    Raises:
        ArgumentError: it names no commit, or could not be one.

    """
    name = written.strip()
    if len(name) > _MOST_WRITTEN or not _WRITTEN.fullmatch(name):
        raise ArgumentError("base", f"`base` is {written[:80]!r}; give a commit, a tag, a branch, or `main...`.")
    if name.endswith("..."):
        return _fork_point(top, name.removesuffix("..."))
    answer = run_git(top, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    if answer.returncode != 0:
        raise ArgumentError(
            "base", f"`base`: git knows no commit {name!r} in {top}. Give a commit, a tag or a branch that exists here."
        )
    return answer.stdout.decode("ascii", "replace").strip()


def file_blobs(top: Path, commit: str) -> Mapping[str, str]:
    """Return the id of each plain file in the tree of a commit, by path; links and submodules are left out.

    Raises:
        RootError: git cannot read the tree.

    """
    options = ("-r", "-z", "--raw", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-abbrev")
    answer = run_git(top, "diff-tree", *options, _EMPTY_TREES[len(commit)], commit)
    if answer.returncode != 0:
        told = answer.stderr.decode("utf-8", "replace").strip().partition("\n")[0]
        raise RootError(f"git cannot read the tree of {commit[:10]} in {top}: {told}. A shallow clone may lack it.")
    records = answer.stdout.split(b"\0")
    found: dict[str, str] = {}
    for meta, path in zip(records[::2], records[1::2], strict=False):
        _, mode, _, blob, *_ = meta.split()
        if mode.startswith(b"100"):
            found[os.fsdecode(path)] = blob.decode("ascii")
    return found


def read_blobs(top: Path, blobs: Iterable[str], max_bytes: int) -> Iterator[tuple[str, bytes]]:
    """Yield each blob that is there and has at most `max_bytes`, with its bytes; the others are passed over."""
    for part in _parts(_small_enough(top, blobs, max_bytes)):
        answer = run_git(top, "cat-file", "--batch", sent="".join(f"{blob}\n" for blob in part).encode())
        yield from _contents(answer.stdout)


def _parts(blobs: Iterator[str]) -> Iterator[tuple[str, ...]]:
    """Yield the ids in parts that are asked for at once, so that memory stays bounded."""
    while part := tuple(islice(blobs, _BLOBS_AT_ONCE)):
        yield part


def _small_enough(top: Path, blobs: Iterable[str], max_bytes: int) -> Iterator[str]:
    asked = "".join(f"{blob}\n" for blob in blobs).encode()
    answer = run_git(top, "cat-file", "--batch-check", sent=asked)
    for line in answer.stdout.decode("ascii", "replace").splitlines():
        blob, kind, *size = line.split()
        if kind == "blob" and int(size[0]) <= max_bytes:
            yield blob


def _contents(answer: bytes) -> Iterator[tuple[str, bytes]]:
    """Take the answer of `cat-file --batch` apart: `ID blob SIZE`, the bytes, a line break."""
    at = 0
    while at < len(answer):
        end = answer.index(b"\n", at)
        blob, _, size = answer[at:end].decode("ascii").split()
        yield blob, answer[end + 1 : end + 1 + int(size)]
        at = end + 2 + int(size)


def _fork_point(top: Path, branch: str) -> str:
    tip = commit_of(top, branch)
    answer = run_git(top, "rev-parse", "--revs-only", f"{tip}...HEAD")
    found = [line[1:] for line in answer.stdout.decode("ascii", "replace").split() if line.startswith("^")]
    if not found:
        raise ArgumentError("base", f"`base`: {branch!r} and the checked out commit have no commit in common.")
    return found[0]
