"""Incremental equals cold: after any sequence of changes the rows are those of a build from nothing."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from graph import index
from graph.places import Places
from graph.repository import Repository
from graph.settings import IndexSettings
from graph.store import snapshot

_NAMES = ("alpha", "beta", "gamma", "delta")
_FOLDERS = ("", "pkg/", "pkg/sub/", "lib/", "web/")


class World:
    """A folder that changes at random, by one generator so that a failure can be repeated."""

    def __init__(self, root: Path, seed: int, *, git: bool) -> None:
        self.root = root
        self.choose = random.Random(seed)  # noqa: S311 - not for cryptography
        self.git = git
        root.mkdir(parents=True)
        if git:
            self.run("init", "-q")
        for _ in range(6):
            self.write()
        if git:
            self.commit()

    def change(self) -> str:
        """Make one change and return what it was."""
        steps = [self.write, self.write, self.edit, self.edit, self.delete, self.rename, self.ignore, self.link]
        if self.git:
            steps += [self.switch, self.switch]
        step = self.choose.choice(steps)
        step()
        return step.__name__

    def write(self) -> None:
        folder, name = self.choose.choice(_FOLDERS), self.choose.choice(_NAMES)
        suffix, text = self.choose.choice(
            ((".py", self.python()), (".py", self.python()), (".ts", self.typescript()), (".md", self.prose()))
        )
        if suffix == ".py" and self.choose.random() < 0.25:
            name = "__init__"
        self.put(f"{folder}{name}{suffix}", text)

    def edit(self) -> None:
        path = self.some_file()
        if path is None:
            return
        text = path.read_text()
        match self.choose.randrange(4):
            case 0:
                path.write_text(f"\n\n{text}")  # every line moves, no name changes
            case 1:
                path.write_text(text.replace(self.choose.choice(_NAMES), self.choose.choice(_NAMES)))
            case 2:
                path.write_text(text[: len(text) // 2])  # likely a syntax error
            case _:
                os.utime(path, ns=(self.choose.randrange(10**18), self.choose.randrange(10**18)))

    def delete(self) -> None:
        path = self.some_file()
        if path is not None:
            path.unlink()

    def rename(self) -> None:
        path = self.some_file()
        if path is not None:
            target = self.root / self.choose.choice(_FOLDERS) / f"{self.choose.choice(_NAMES)}{path.suffix}"
            target.parent.mkdir(parents=True, exist_ok=True)
            if not target.is_symlink():
                path.replace(target)

    def ignore(self) -> None:
        name = self.choose.choice((".gitignore", ".roteiroignore"))
        self.put(
            name, "".join(f"{pattern}\n" for pattern in self.choose.sample(("alpha.*", "lib/", "*.ts", "!*.py"), 2))
        )

    def link(self) -> None:
        path = self.root / self.choose.choice(_FOLDERS) / f"{self.choose.choice(_NAMES)}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        path.symlink_to(self.choose.choice(("alpha.py", "/etc/hostname", "nothing")))

    def switch(self) -> None:
        branch = self.choose.choice(("one", "two"))
        self.commit()
        if self.run("rev-parse", "--verify", "-q", branch, check=False):
            self.run("checkout", "-q", branch)
        else:
            self.run("checkout", "-q", "-b", branch)

    def commit(self) -> None:
        self.run("add", "-A")
        self.run("commit", "-q", "--allow-empty", "-m", "x")

    def run(self, *arguments: str, check: bool = True) -> bool:
        identity = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "gc.auto=0")
        command = ["git", "-C", str(self.root), *identity, *arguments]
        return subprocess.run(command, check=check, capture_output=True).returncode == 0

    def some_file(self) -> Path | None:
        found = sorted(
            path
            for suffix in ("py", "ts", "md")
            for path in self.root.rglob(f"*.{suffix}")
            if not path.is_symlink() and ".git" not in path.parts and ".roteiro" not in path.parts
        )
        return self.choose.choice(found) if found else None

    def put(self, path: str, text: str) -> None:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.is_symlink():
            target.unlink()
        target.write_text(text)

    def python(self) -> str:
        one, two, three = (self.choose.choice(_NAMES) for _ in range(3))
        module = self.choose.choice(("pkg", "pkg.sub", "lib", one, f"pkg.{one}", f"pkg.sub.{two}", f"lib.{three}"))
        imports = self.choose.choice(
            (
                f"from {module} import {two}",
                f"import {module}",
                f"from {module} import *",
                f"from .{one} import {two} as {three}",
                f"from . import {one}",
            )
        )
        return (
            f"{imports}\n\n\nclass {one.title()}:\n    def {two}(self):\n        self.{three}()\n"
            f"        {one}.{two}()\n\n    def {three}(self):\n        return {two}()\n\n\n"
            f"def {two}():\n    # TODO: {one}\n    x = {one.title()}()\n"
            f"    x.{three}()\n    return {three}({one})\n"
        ) + self.choose.choice(
            (
                "",
                f"\n\ndef {three}(task):\n    def later():\n        task()\n\n    task()\n    return later\n",
                f"\n\n{two}({one.title()})\n{one}.{three}({two})\n",
                f"\n\n@{one}\ndef {two}():\n    pass\n",
            )
        )

    def typescript(self) -> str:
        one, two, three = (self.choose.choice(_NAMES) for _ in range(3))
        return (
            f"import {{ {two} }} from './{one}'\nexport * from '../web/{three}'\n"
            f"export function {three}(): void {{ {two}(); new {one.title()}().{two}() }}\n"
            f"export class {one.title()} {{ {two}() {{ this.{two}() }} }}\n"
        )

    def prose(self) -> str:
        one, two = self.choose.choice(_NAMES), self.choose.choice(_NAMES)
        return f"# {one}\n\nSee `{two}` and [it](pkg/{one}.py).\n\n## {two}\n\nText of `{one.title()}.{two}`.\n"


def cold_snapshot(world: World, place: Path) -> list[tuple[object, ...]]:
    """Return the rows of a build from nothing, with a cache of its own."""
    shutil.rmtree(place, ignore_errors=True)
    warm = Repository.open(world.root, cache_home=place)
    cold = Repository(
        warm.root, warm.worktree, Places(place / "s", place / "s/blobs", place), IndexSettings(), "default"
    )
    with cold:
        cold.sync()
        assert cold.store.verify() == []
        return snapshot(cold.store)


def check_sequence(folder: Path, seed: int, *, git: bool, steps: int) -> None:
    """Change a world at random, sync after some of the changes, and compare with a build from nothing."""
    world = World(folder / "world", seed, git=git)
    done: list[str] = []
    with Repository.open(world.root, cache_home=folder / "home") as repository:
        repository.sync()
        for number in range(steps):
            done.append(world.change())
            if number % 2:
                repository.sync()
        repository.sync()
        assert repository.store.verify() == []
        warm = snapshot(repository.store)
    cold = cold_snapshot(world, folder / "cold")
    assert warm == cold, f"seed {seed}: {done}: {sorted(set(map(repr, warm)) ^ set(map(repr, cold)))[:20]}"


@pytest.mark.parametrize("seed", range(12))
def test_random_changes_end_in_the_rows_of_a_cold_build(tmp_path: Path, seed: int) -> None:
    """Edits, moves, deletions, links and ignore files, in any order."""
    check_sequence(tmp_path, seed, git=False, steps=8)


@pytest.mark.parametrize("seed", range(100, 104))
def test_branch_switches_end_in_the_rows_of_a_cold_build(tmp_path: Path, seed: int) -> None:
    """Also where git replaces many files at once."""
    check_sequence(tmp_path, seed, git=True, steps=8)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(10))
def test_five_hundred_sequences_end_in_the_rows_of_a_cold_build(tmp_path: Path, block: int) -> None:
    """The same, often enough to meet rare orders."""
    for seed in range(1000 + block * 50, 1050 + block * 50):
        check_sequence(tmp_path / str(seed), seed, git=seed % 4 == 0, steps=12)


@pytest.mark.parametrize(
    ("part", "constant", "worked_on"),
    [
        ("extract", "EXTRACT_VERSION", ("changed", "resolved")),
        ("content", "CONTENT_VERSION", ("changed", "resolved")),
        ("resolve", "RESOLVE_VERSION", ("resolved",)),
        ("search", "SEARCH_VERSION", ()),
    ],
)
def test_a_raised_version_ends_in_the_rows_of_a_cold_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: str, constant: str, worked_on: tuple[str, ...]
) -> None:
    """A store of an older version is worked on again as far as it must be, and ends with the same rows."""
    world = World(tmp_path / "world", 7, git=False)
    with Repository.open(world.root, cache_home=tmp_path / "home") as repository:
        repository.sync()
        before = snapshot(repository.store)
        monkeypatch.setattr(index, "_VERSIONS", index._VERSIONS.replace(f"{part}=", f"{part}=9"))
        monkeypatch.setattr(index, constant, int(f"9{getattr(index, constant)}"))
        report = repository.sync()
        assert {name for name in ("changed", "resolved") if getattr(report, name) >= report.indexed} == set(worked_on)
        assert repository.store.verify() == []
        after = snapshot(repository.store)
        assert after != before
        assert [row for row in after if row[0] != "project"] == [row for row in before if row[0] != "project"]
        repository.sync()
        assert snapshot(repository.store) == after
