"""The sample files of each language against their definitions, counted by hand.

Beside the samples of a language stands `expected.txt`: a line with the name of a file, below it one line a definition,
`kind qualname line`, where the line is that of the name. Blank lines and lines that begin with `#` are skipped.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from graph.extract.registry import extract
from graph.languages import language_of

SAMPLES = Path(__file__).parent.parent / "fixtures" / "languages"

FOLDERS = sorted(path.parent.name for path in SAMPLES.glob("*/expected.txt"))

Found = tuple[str, str, str, int]


def expected(folder: Path) -> set[Found]:
    """Return what was counted by hand."""
    found: set[Found] = set()
    name = ""
    for line in (folder / "expected.txt").read_text(encoding="utf-8").splitlines():
        words = line.split()
        if not words or line.startswith("#"):
            continue
        if len(words) == 1:
            name = words[0]
        else:
            kind, *qualname, number = words
            found.add((name, kind, " ".join(qualname), int(number)))
    return found


def extracted(folder: Path) -> set[Found]:
    """Return what the extractor says of the same files."""
    found: set[Found] = set()
    for path in sorted(folder.iterdir()):
        language = language_of(path.name, path.read_bytes())
        if language is not None:
            facts = extract(language, path.read_bytes())
            found |= {(path.name, item.kind.value, item.qualname, item.name_line) for item in facts.definitions}
    return found


@pytest.mark.parametrize("folder", FOLDERS)
def test_definitions_of_the_samples_are_those_counted_by_hand(folder: str) -> None:
    """F1 of kind, name with enclosers, and line together."""
    wanted, found = expected(SAMPLES / folder), extracted(SAMPLES / folder)
    right = len(wanted & found)
    score = 2 * right / (len(wanted) + len(found))
    assert score >= 0.95, (sorted(wanted - found), sorted(found - wanted))


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_samples_are_read_without_errors(folder: str) -> None:
    """A sample that its own grammar does not understand would prove nothing."""
    for path in sorted((SAMPLES / folder).iterdir()):
        language = language_of(path.name, path.read_bytes())
        if language is not None:
            assert extract(language, path.read_bytes()).error_count == 0, path.name
