"""What a sync costs: `python tests/bench/sync.py ROOT [--touch PATH]` on a copy of a repository.

Prints CPU seconds of the whole process tree, wall seconds, the peak of its proportional set size (Linux), and the size
of the store, for a cold sync, one without changes, and one after a touched file; each in a new process, the last also
in a running one.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from itertools import pairwise
from pathlib import Path

SAMPLE_S = 0.05

CHILD = """
import json, sys, time
from pathlib import Path
from graph.repository import Repository
phases = {}
def listen(progress):
    phases.setdefault(progress.phase.value, time.process_time())
with Repository.open(sys.argv[1], cache_home=Path(sys.argv[2])) as repository:
    report = repository.sync(listen)
    end = time.process_time()
print(json.dumps({"changed": report.changed, "resolved": report.resolved, "indexed": report.indexed,
                  "phases": phases, "end": end, "store": report.store}))
"""

WARM = """
import json, sys, time
from pathlib import Path
from graph.repository import Repository
target = Path(sys.argv[3])
with Repository.open(sys.argv[1], cache_home=Path(sys.argv[2])) as repository:
    repository.sync()
    spent = []
    for number in range(5):
        target.write_bytes(target.read_bytes() + b"\\n")
        start = time.process_time()
        repository.sync()
        spent.append(time.process_time() - start)
print(json.dumps({"warm_cpu_s": sorted(spent)[2]}))
"""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path)
    parser.add_argument("--touch", default="", help="the file to touch; default: a source file of middle size")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-sync-") as place:
        root, home = Path(place, "root"), Path(place, "home")
        shutil.copytree(asked.root, root, symlinks=True, ignore=shutil.ignore_patterns("roteiro", ".roteiro"))
        measure("cold", root, home)
        measure("unchanged", root, home)
        target = root / asked.touch if asked.touch else middle_file(root)
        target.write_bytes(target.read_bytes() + b"\n")
        print(f"touched {target.relative_to(root)}")
        measure("touched, new process", root, home)
        child = subprocess.run(
            [sys.executable, "-P", "-c", WARM, root, home, target], check=True, capture_output=True, text=True
        )
        print(f"touched, running process: {json.loads(child.stdout)['warm_cpu_s']:.2f} CPU s (middle of 5)")


def measure(name: str, root: Path, home: Path) -> None:
    """Run one sync in a new process and print what it cost."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    child = subprocess.Popen(
        [sys.executable, "-P", "-c", CHILD, root, home], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    peak = PeakMemory(child.pid)
    output = child.communicate()[0]
    wall, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if child.returncode:
        sys.exit(f"the sync failed with exit code {child.returncode}")
    told = json.loads(output)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    store = Path(told["store"])
    print(
        f"{name}: {cpu:.2f} CPU s, {wall:.2f} s wall, {peak.stop() / 1e6:.0f} MB peak PSS, "
        f"store {size(store.parent) / 1e6:.0f} MB (graph {size(store) / 1e6:.0f}); "
        f"{told['indexed']} files indexed, {told['changed']} changed, {told['resolved']} resolved; "
        f"CPU s of the main process: {phases(told)}"
    )


def phases(told: dict) -> str:
    """Return the CPU seconds of the main process by phase."""
    starts = [*told["phases"].items(), ("end", told["end"])]
    return ", ".join(f"{name} {following - start:.2f}" for (name, start), (_, following) in pairwise(starts))


class PeakMemory:
    """Samples the proportional set size of a process and everything below it."""

    def __init__(self, pid: int) -> None:
        self.pid, self.peak, self.ended = pid, 0, threading.Event()
        self.thread = threading.Thread(target=self.watch, daemon=True)
        self.thread.start()

    def watch(self) -> None:
        while not self.ended.wait(SAMPLE_S):
            self.peak = max(self.peak, sum(map(pss, descendants(self.pid))))

    def stop(self) -> int:
        self.ended.set()
        self.thread.join()
        return self.peak


def descendants(pid: int) -> list[int]:
    """Return a process and its children at every depth."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents.setdefault(int((entry / "stat").read_text().rpartition(")")[2].split()[1]), []).append(
                    int(entry.name)
                )
            except OSError:
                continue  # it ended meanwhile
    found = [pid]
    for one in found:
        found.extend(parents.get(one, []))
    return found


def pss(pid: int) -> int:
    """Return the proportional set size of a process in bytes, 0 when it is gone."""
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    except OSError:
        return 0
    return 0


def middle_file(root: Path) -> Path:
    """Return the source file of middle size."""
    found = [path for suffix in ("py", "ts", "js") for path in root.rglob(f"*.{suffix}") if path.is_file()]
    return sorted(found, key=lambda path: (path.stat().st_size, path))[len(found) // 2]


def size(path: Path) -> int:
    """Return the bytes of a file or of everything in a folder."""
    if path.is_file():
        return path.stat().st_size
    return sum(os.lstat(found).st_size for found in path.rglob("*") if found.is_file())


if __name__ == "__main__":
    main()
