"""The table of truth: extract and resolve checkouts and micro cases in this process, score them, print one table.

    python tests/bench/graph_truth.py TRUTH CHECKOUTS [--only NAME] [--keep FOLDER]

TRUTH is a folder with `real/*.jsonl`, `micro.jsonl`, `symbols.jsonl`, `imports.jsonl`, `callers_*.json` and the scorers
`score_*.py` that understand them; CHECKOUTS holds one checkout a repository, named like the last part of its name. The
graphs are those that the store would hold, written in the format of `roteiro dump`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypedDict

from graph.extract.facts import Facts
from graph.extract.nodes import nodes_of
from graph.extract.registry import EXTRACTED_LANGUAGES, extract
from graph.languages import language_of
from graph.resolve.handing import handed_edges
from graph.resolve.resolver import Resolver

_SKIPPED_FOLDERS = frozenset({".git", "node_modules"})


class Case(TypedDict):
    """What is read of a small program."""

    id: str
    lang: str
    files: dict[str, str]


class Files:
    """A source over files in memory."""

    def __init__(self, contents: Mapping[str, bytes]) -> None:
        named = ((path, language_of(path, data[:200])) for path, data in contents.items())
        self._languages = {path: language for path, language in named if language in EXTRACTED_LANGUAGES}
        self._facts = {path: extract(language, contents[path]) for path, language in self._languages.items()}
        self._contents = contents

    def paths(self) -> Sequence[str]:
        return sorted(self._languages)

    def language(self, path: str) -> str:
        return self._languages[path]

    def facts(self, path: str) -> Facts:
        return self._facts[path]

    def config_text(self, path: str) -> str | None:
        data = self._contents.get(path)
        return None if data is None else data.decode("utf-8", "replace")


def graph_of(contents: Mapping[str, bytes]) -> dict[str, list[dict[str, object]]]:
    """Return the graph of these files in the format of `roteiro dump`."""
    files = Files(contents)
    resolver = Resolver(files)
    nodes: list[dict[str, object]] = []
    edges: list[dict[str, object]] = []
    handed: list[tuple[str, str, str]] = []
    for path in files.paths():
        nodes += [
            {
                "id": node.key,
                "kind": str(node.kind),
                "name": node.name,
                "qualname": node.qualname,
                "file": node.path,
                "start_line": node.start_line,
                "end_line": node.end_line,
            }
            for node in nodes_of(path, files.facts(path))
        ]
        resolved = resolver.resolve(path)
        handed += [(src, dst, path) for src, dst in resolved.handed]
        edges += [
            {"src": edge.src, "dst": edge.dst, "kind": str(edge.kind), "line": line}
            for edge in resolved.edges
            if edge.kind in ("calls", "imports")
            for line in edge.lines or (0,)
        ]
    for src, dst, _ in handed_edges(handed):
        edges.append({"src": src, "dst": dst, "kind": "calls", "line": 0})
    return {"nodes": nodes, "edges": edges}


def read_checkout(root: Path) -> dict[str, bytes]:
    """Return the files of a checkout by their paths."""
    found: dict[str, bytes] = {}
    for path in sorted(root.rglob("*")):
        relative = path.relative_to(root)
        if _SKIPPED_FOLDERS.isdisjoint(relative.parts) and path.is_file() and not path.is_symlink():
            found[relative.as_posix()] = path.read_bytes()
    return found


def score(truth: Path, scorer: str, *arguments: str) -> str:
    """Return what a scorer prints."""
    command = [sys.executable, str(truth / f"score_{scorer}.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.rstrip()


def repositories(truth: Path, checkouts: Path, only: str) -> Iterator[tuple[str, Path, Path]]:
    """Give name, truth file and checkout of each repository that is here."""
    for path in sorted((truth / "real").glob("*.jsonl")):
        with path.open(encoding="utf-8") as lines:
            name = json.loads(next(lines))["repo"]
        checkout = checkouts / name.rsplit("/", 1)[-1]
        if checkout.is_dir() and only in name:
            yield name, path, checkout


def report_repository(truth: Path, keep: Path, name: str, sites: Path, checkout: Path) -> None:
    """Print the scores of one repository."""
    started = time.process_time()
    graph = graph_of(read_checkout(checkout))
    print(
        f"\n{name}: {time.process_time() - started:.1f} CPU s, {len(graph['nodes'])} nodes, {len(graph['edges'])} edges"
    )
    dumped = keep / f"{checkout.name}.json"
    dumped.write_text(json.dumps(graph), encoding="utf-8")
    print(score(truth, "real", str(sites), str(dumped)))
    print(score(truth, "symbols", str(truth / "symbols.jsonl"), str(dumped), "--repo", name))
    print(score(truth, "imports", str(truth / "imports.jsonl"), str(dumped), "--repo", name))
    callers = truth / f"callers_{checkout.name}.json"
    if callers.exists():
        print(score(truth, "callers", str(callers), str(dumped)))


def report_micro(truth: Path, keep: Path) -> None:
    """Print the scores of the small programs, language by language."""
    cases = [json.loads(line) for line in (truth / "micro.jsonl").read_text(encoding="utf-8").splitlines()]
    for language in sorted({case["lang"] for case in cases}):
        report_language(truth, keep, language, [case for case in cases if case["lang"] == language])


def report_language(truth: Path, keep: Path, language: str, chosen: Sequence[Case]) -> None:
    """Print the scores of the small programs of one language."""
    dumped = keep / f"micro_{language}.jsonl"
    with dumped.open("w", encoding="utf-8") as out:
        for case in chosen:
            graph = graph_of({path: text.encode() for path, text in case["files"].items()})
            out.write(json.dumps({"case": case["id"], "graph": graph}) + "\n")
    print("\n" + score(truth, "micro", str(truth / "micro.jsonl"), "--graphs", str(dumped), "--lang", language))


def main() -> None:
    """Read the arguments and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("truth", type=Path)
    parser.add_argument("checkouts", type=Path)
    parser.add_argument("--only", default="", help="a part of a repository's name, or `micro`")
    parser.add_argument("--keep", type=Path, help="a folder for the graphs")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        keep = options.keep or Path(scratch)
        for name, sites, checkout in repositories(options.truth, options.checkouts, options.only):
            report_repository(options.truth, keep, name, sites, checkout)
        if options.only in ("", "micro"):
            report_micro(options.truth, keep)


if __name__ == "__main__":
    main()
