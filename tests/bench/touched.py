"""What a sync costs after an edit, as a distribution: `touched.py ROOT [--files 20] [--also PATH ...]`.

Works on a copy. First a blank line is put above the text of files of all sizes, spread evenly, and of the Python files
that most others depend on: each in a new process, then in a running one. Then the interface of such Python files is
edited, a function or class at a time: one that is read by many, one by few. Each edit is undone before the next one.
CPU seconds count the whole process tree, git included.
"""

from __future__ import annotations

import argparse
import ast
import re
import resource
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from graph.repository import Repository

HUBS = 5
"""So many of the files with the most dependents are touched beside the others, and edited."""

NEW_PROCESS = """
import sys
from pathlib import Path
from graph.repository import Repository
with Repository.open(sys.argv[1], cache_home=Path(sys.argv[2])) as repository:
    repository.sync()
"""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=Path)
    parser.add_argument("--files", type=int, default=20)
    parser.add_argument("--also", nargs="*", default=[], help="files to touch and to edit beside the others")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-touched-") as place:
        root, home = Path(place, "root"), Path(place, "home")
        shutil.copytree(asked.root, root, symlinks=True, ignore=shutil.ignore_patterns("roteiro", ".roteiro"))
        with Repository.open(root, cache_home=home) as repository:
            repository.sync()
            hubs = [*asked.also, *hub_files(repository.places.database, HUBS)]
            files = [*spread(root, repository.places.database, asked.files), *hubs]
            show("touched, new process", [(path, *touched(root, path, lambda: afresh(root, home))) for path in files])
        with Repository.open(root, cache_home=home) as repository:
            repository.sync()
            touched(root, files[0], lambda: running(repository))  # what is loaded once
            show("touched, running", [(path, *touched(root, path, lambda: running(repository))) for path in files])
            made = [edit for path in hubs for edit in edits(root / path)]
            found: list[tuple[str, float, int]] = []
            for name, path, text in made:
                found.append((f"{name} in {path.relative_to(root)}", *changed(path, text, lambda: running(repository))))
            show("interface, running", found)


def spread(root: Path, database: Path, count: int) -> list[str]:
    """Return indexed files spread evenly over all sizes."""
    with sqlite3.connect(database) as connection:
        paths = [row[0] for row in connection.execute("SELECT path FROM file WHERE status = 'indexed'")]
    paths.sort(key=lambda path: ((root / path).stat().st_size, path))
    return [paths[(len(paths) - 1) * place // max(count - 1, 1)] for place in range(count)]


def hub_files(database: Path, count: int) -> list[str]:
    """Return the Python files that most others depend on."""
    with sqlite3.connect(database) as connection:
        rows = connection.execute(
            "SELECT on_path FROM dependency JOIN file ON path = on_path WHERE status = 'indexed' "
            "AND language = 'python' GROUP BY on_path ORDER BY count(*) DESC, on_path LIMIT ?",
            (count,),
        )
        return [row[0] for row in rows]


def touched(root: Path, path: str, sync: Callable[[], tuple[float, int]]) -> tuple[float, int]:
    """Return what a sync costs when everything in a file moves by a line, and how many files it resolved."""
    text = (root / path).read_bytes()
    return changed(root / path, b"\n" + text, sync)


def changed(path: Path, text: bytes, sync: Callable[[], tuple[float, int]]) -> tuple[float, int]:
    """Return what a sync costs after a file was changed; then the file is as it was."""
    before = path.read_bytes()
    path.write_bytes(text)
    time.sleep(0.03)  # past the tick of the file system's clock, as after any edit by hand
    try:
        return sync()
    finally:
        path.write_bytes(before)
        time.sleep(0.03)
        sync()


def afresh(root: Path, home: Path) -> tuple[float, int]:
    """Sync in a new process."""
    before = spent(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-P", "-c", NEW_PROCESS, root, home], check=True)
    return spent(resource.RUSAGE_CHILDREN) - before, 0


def running(repository: Repository) -> tuple[float, int]:
    """Sync in this process."""
    before = spent(resource.RUSAGE_SELF) + spent(resource.RUSAGE_CHILDREN)
    report = repository.sync()
    return spent(resource.RUSAGE_SELF) + spent(resource.RUSAGE_CHILDREN) - before, report.resolved


def spent(who: int) -> float:
    """Return CPU seconds."""
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


def edits(path: Path) -> Iterator[tuple[str, Path, bytes]]:
    """Give (what, file, new text) for edits of what others can see of a Python file."""
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    tree = ast.parse(text)
    classes = sorted((node for node in tree.body if isinstance(node, ast.ClassDef)), key=lambda node: -len(node.body))
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    yield "add a function", path, f"{text}\n\ndef added_here(value):\n    return str(value)\n".encode()
    for node in classes[:1]:
        methods = [item for item in node.body if isinstance(item, ast.FunctionDef) and not item.name.startswith("__")]
        yield "add a method", path, put(lines, node.body[-1].end_lineno, "\n    def added_here(self):\n        pass\n")
        for method in methods[len(methods) // 2 :][:1]:
            renamed = re.sub(rf"\b{method.name}\b", f"{method.name}_renamed", text)
            yield f"rename {node.name}.{method.name}", path, renamed.encode()
            head = lines[method.lineno - 1]
            yield f"add a parameter to {node.name}.{method.name}", path, swap(lines, method.lineno, widened(head))
        yield f"annotate returns of {node.name}", path, annotated(lines, methods[:3])
    for node in classes[-1:]:
        yield f"another base of {node.name}", path, swap(lines, node.lineno, f"class {node.name}(dict):\n")
    for function in functions[:1]:
        renamed = re.sub(rf"\b{function.name}\b", f"{function.name}_renamed", text)
        yield f"rename {function.name}", path, renamed.encode()


def put(lines: Sequence[str], after: int | None, new: str) -> bytes:
    """Return the text with something behind a line."""
    return "".join([*lines[: after or 0], new, *lines[after or 0 :]]).encode()


def swap(lines: Sequence[str], number: int, new: str) -> bytes:
    """Return the text with another line in the place of one."""
    return "".join([*lines[: number - 1], new, *lines[number:]]).encode()


def widened(head: str) -> str:
    """Return the first line of a function with one more parameter, as far as it stands on that line."""
    return re.sub(
        r"\((self|cls)?", lambda start: f"{start[0]}{', ' if start[1] else ''}added_here=None, ", head, count=1
    )


def annotated(lines: Sequence[str], methods: Iterable[ast.FunctionDef]) -> bytes:
    """Return the text with a result type behind one-line heads of these methods."""
    kept = list(lines)
    for method in methods:
        kept[method.lineno - 1] = re.sub(r"\):(\s*)$", r") -> dict:\1", kept[method.lineno - 1])
    return "".join(kept).encode()


def show(name: str, rows: Sequence[tuple[str, float, int]]) -> None:
    """Print each cost, and how they are spread."""
    for what, cpu_s, resolved in rows:
        print(f"  {cpu_s:5.2f} CPU s {resolved or '':>5} {what}")
    costs = sorted(cpu_s for _, cpu_s, _ in rows)
    at_95 = costs[min(len(costs) - 1, int(len(costs) * 0.95))]
    median = statistics.median(costs)
    print(f"{name}: {len(rows)} edits, median {median:.2f}, p95 {at_95:.2f}, max {costs[-1]:.2f} CPU s", flush=True)


if __name__ == "__main__":
    main()
