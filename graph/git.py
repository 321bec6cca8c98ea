"""What git knows of a folder, asked in a way that a hostile repository cannot use to run anything.

The configuration inside the analysed repository is written by a stranger. Git runs programs named there on harmless
looking commands: a `core.fsmonitor` in plain `ls-files`, a `filter.*.clean` in `status` and in `diff` of the work
tree. So git is called only through `run_git`, with these programs switched off, every `GIT_*` variable cleared, and
only with `rev-parse`, `ls-files`, `cat-file --batch` and `diff-tree --raw` of two trees (neither of the last two looks
at the work tree); changed files are found by stat and hashed by `blob_id`, never by git.

What it does not hold: which of the files count (`graph.files`), where stores live (`graph.places`).
"""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import subprocess
from functools import cache
from pathlib import Path

from msgspec import Struct

from graph.errors import RootError

__all__ = [
    "GitEntry",
    "Worktree",
    "blob_id",
    "find_worktree",
    "head_commit",
    "listed_paths",
    "run_git",
    "special_entries",
]

_TIMEOUT_S = 120
"""Listing a million files takes git a few seconds; past this something is wrong with the disk."""

_FLAGS = (
    "--no-pager",
    "--no-optional-locks",
    "--no-replace-objects",
    "--literal-pathspecs",
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "core.untrackedCache=false"),
    *("-c", "core.sshCommand=false"),
    *("-c", "submodule.recurse=false"),
    *("-c", "protocol.allow=never"),
    # A folder in the tree that looks like a bare repository brings its own configuration along.
    *("-c", "safe.bareRepository=explicit"),
)
_VARIABLES = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ALLOW_PROTOCOL": "none",  # a partial clone must not fetch
    "GIT_NO_LAZY_FETCH": "1",
    "LC_ALL": "C",  # refusals are told apart by their English text
    "LANGUAGE": "C",
}


class Worktree(Struct, frozen=True):
    """A checkout: its top folder, its own git folder, and the one it shares with its other worktrees."""

    top: Path
    git_dir: Path
    common_dir: Path


class GitEntry(Struct, frozen=True):
    """One path of git's index; `mode` is `100644`, `100755`, `120000` (link) or `160000` (submodule)."""

    mode: str
    path: str


def find_worktree(folder: Path) -> Worktree | None:
    """Return the checkout that holds a folder; None outside git, without git installed and in a bare repository.

    Raises:
        RootError: git refuses the folder (another owner), or its configuration names a work tree elsewhere.

    """
    if _git() is None:
        return None
    answer = run_git(folder, "rev-parse", "--path-format=absolute", "--show-toplevel", "--git-dir", "--git-common-dir")
    if answer.returncode != 0:
        _explain(folder, answer.stderr.decode("utf-8", "replace"))
        return None
    lines = os.fsdecode(answer.stdout).splitlines()
    if len(lines) != 3:
        raise RootError(f"git does not say where the work tree of {folder} is (a line break in its path?). Rename it.")
    top, git_dir, common_dir = (Path(line) for line in lines)
    if not _is_top_of(top, folder):
        # `core.worktree` in a stranger's configuration may point at anybody's home folder.
        raise RootError(
            f"the git configuration of {folder} places its work tree at {top}, which does not hold it. "
            f"Remove core.worktree from it, or name {top} itself if that is what you mean.",
            cure=f"git config --file {shlex.quote(str(git_dir / 'config'))} --unset core.worktree",
        )
    return Worktree(top.resolve(), git_dir, common_dir)


def head_commit(top: Path) -> str:
    """Return the id of the commit that is checked out; empty before the first commit."""
    answer = run_git(top, "rev-parse", "--verify", "--quiet", "HEAD")
    return answer.stdout.decode("ascii", "replace").strip() if answer.returncode == 0 else ""


def special_entries(top: Path) -> list[GitEntry]:
    """Return what git's index holds beside plain files, in its order."""
    entries: list[GitEntry] = []
    for record in _records(top, "ls-files", "-s", "-z"):
        if not record.startswith(b"100"):
            meta, _, path = record.partition(b"\t")
            entries.append(GitEntry(meta[:6].decode("ascii", "replace"), os.fsdecode(path)))
    return entries


def listed_paths(top: Path) -> list[str]:
    """Return tracked paths and untracked ones that no ignore file excludes; an untracked repository ends in `/`."""
    return [os.fsdecode(path) for path in _records(top, "ls-files", "-co", "--exclude-standard", "-z")]


def blob_id(data: bytes) -> str:
    """Return the id that git gives to a blob of these bytes (in SHA-1 repositories; elsewhere it is our own key)."""
    digest = hashlib.sha1(b"blob %d\0" % len(data), usedforsecurity=False)
    digest.update(data)
    return digest.hexdigest()


def _records(top: Path, *arguments: str) -> list[bytes]:
    answer = run_git(top, *arguments)
    if answer.returncode != 0:
        told = answer.stderr.decode("utf-8", "replace")
        _explain(top, told)
        raise RootError(f"git cannot list the files of {top}: {_first_line(told)}. Try `git -C {top} ls-files`.")
    return [record for record in answer.stdout.split(b"\0") if record]


def run_git(folder: Path, *arguments: str, sent: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Return what git answered; `sent` goes to its stdin. Only for the commands that the head of this module names.

    Raises:
        RootError: git is not there, or did not answer in time.

    """
    git = _git()
    if git is None:
        raise RootError(f"git is needed to read {folder} and is not on PATH. Install it.")
    try:
        return subprocess.run(
            [git, "-C", str(folder), *_FLAGS, *arguments],
            env=_environment(),
            input=sent,
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise RootError(f"git did not answer within {_TIMEOUT_S} s in {folder}. Is its disk reachable?") from None


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return kept | _VARIABLES


@cache
def _git() -> str | None:
    """Return the absolute path of git; an entry of PATH such as `.` would find a program in the analysed folder."""
    folders = [folder for folder in os.get_exec_path() if os.path.isabs(folder)]  # noqa: PTH117 - strings, not paths
    return shutil.which("git", path=os.pathsep.join(folders))


def _is_top_of(top: Path, folder: Path) -> bool:
    real_top = top.resolve()
    real_folder = folder.resolve()
    return (real_top / ".git").exists() and (real_folder == real_top or real_top in real_folder.parents)


def _explain(folder: Path, told: str) -> None:
    """Raise for a refusal that a person must act on; return for "this is no repository"."""
    if "dubious ownership" in told or "unsafe repository" in told:
        raise RootError(
            f"git refuses {folder}, because another user owns it. If you trust it, run "
            f"`git config --global --add safe.directory {folder}`; Roteiro never sets that for you.",
            cure=f"git config --global --add safe.directory {shlex.quote(str(folder))}",
        )
    if "not a git repository" in told or "work tree" in told or "bare repository" in told:
        return
    raise RootError(f"git cannot read {folder}: {_first_line(told)}. Try `git -C {folder} rev-parse`.")


def _first_line(told: str) -> str:
    return told.strip().splitlines()[0].removeprefix("fatal: ").rstrip(".") if told.strip() else "it gave no reason"
