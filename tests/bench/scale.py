"""What a sync costs by size: `python tests/bench/scale.py [LINES ...] [--seed N] [--keep FOLDER]`.

Makes repositories of that many lines (100,000, 300,000 and 1,000,000 when none are given), the same ones for the same
seed, and runs `sync.py` on each. Packages of Python, TypeScript, JavaScript, Go and Java modules with classes that
inherit across files, functions that call what they import, re-exports, dispatch tables and callbacks. Imports follow
what is measured in real repositories: most stay inside of a package, some go to few modules that everything imports,
and a few make cycles.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

SIZES = (100_000, 300_000, 1_000_000)
PACKAGE_SIZE = 12
"""Modules a package; also how far an import inside of a package reaches."""
HUB_EVERY = 60
"""One module of so many is one that everything may import."""
SUFFIXES = {"python": "py", "typescript": "ts", "javascript": "js", "go": "go", "java": "java"}
SHARES = (("python", 45), ("typescript", 25), ("javascript", 10), ("go", 10), ("java", 10))


def main() -> None:
    """Make each repository and measure it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lines", type=int, nargs="*", default=SIZES)
    parser.add_argument("--seed", type=int, default=4)
    parser.add_argument("--keep", type=Path, help="write the repositories here and leave them")
    asked = parser.parse_args()
    bench = Path(__file__).with_name("sync.py")
    for lines in asked.lines or SIZES:
        with tempfile.TemporaryDirectory(prefix="bench-scale-") as scratch:
            root = (asked.keep or Path(scratch)) / str(lines)
            files, written = write_repository(root, lines, asked.seed)
            print(f"\n{written} lines in {files} files", flush=True)
            subprocess.run([sys.executable, str(bench), str(root)], check=True)


def write_repository(root: Path, lines: int, seed: int) -> tuple[int, int]:
    """Write a repository of about so many lines and return its files and lines."""
    files = written = 0
    for path, text in modules(lines, random.Random(seed)):  # noqa: S311 - no secret
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        files, written = files + 1, written + text.count("\n")
    return files, written


def modules(lines: int, rng: random.Random) -> Iterator[tuple[str, str]]:
    """Give (path, text) of the modules, one language after the other, until each has its share of the lines."""
    for language, share in SHARES:
        wanted, made, number = lines * share // 100, 0, 0
        while made < wanted:
            text = WRITERS[language](number, rng)
            made += text.count("\n")
            yield place(language, number), text
            number += 1
            if language == "python" and number % PACKAGE_SIZE == 0:
                package = number // PACKAGE_SIZE - 1
                names = range(package * PACKAGE_SIZE, number)
                yield (
                    f"python/pkg{package}/__init__.py",
                    "".join(f"from .mod{name} import Model{name}, build{name}\n" for name in names),
                )


def place(language: str, number: int) -> str:
    """Return the path of a module."""
    folder = f"{language}/pkg{number // PACKAGE_SIZE}"
    name = f"Model{number}" if language == "java" else f"mod{number}"
    return f"{folder}/{name}.{SUFFIXES[language]}"


def imported(number: int, rng: random.Random) -> list[int]:
    """Return the modules that a module imports: neighbours, hubs, any other, rarely one that comes later."""
    first = number - number % PACKAGE_SIZE
    chosen = {rng.randrange(first, number + 1) for _ in range(rng.randint(1, 4))}
    chosen.update(rng.randrange(0, number // HUB_EVERY + 1) * HUB_EVERY for _ in range(rng.randint(0, 2)))
    if rng.random() < 0.3:
        chosen.add(rng.randrange(0, number + 1))
    if rng.random() < 0.05 and (number + 1) % PACKAGE_SIZE:
        chosen.add(number + 1)
    return sorted(chosen - {number})


def python_module(number: int, rng: random.Random) -> str:
    """Return the text of a Python module."""
    others = imported(number, rng)
    package = number // PACKAGE_SIZE
    lines = [f'"""Module {number}."""', "from __future__ import annotations", ""]
    for other in others:
        theirs = other // PACKAGE_SIZE
        source = f".mod{other}" if theirs == package else f"python.pkg{theirs}"
        lines.append(f"from {source} import Model{other}, build{other}")
    base = f"Model{others[0]}" if others and rng.random() < 0.5 else "object"
    lines += ["", f"class Model{number}({base}):", f'    """Record {number}."""', ""]
    lines += ["    def __init__(self, name: str) -> None:", "        self.name = name"]
    lines += [f"        self.part{other} = build{other}(name)" for other in others]
    for step in range(rng.randint(6, 14)):
        lines += ["", f"    def step{step}(self, value: int) -> int:", "        total = value"]
        lines += [f"        total += self.part{other}.step{rng.randint(0, 5)}(value)" for other in others[:3]]
        lines += [f"        if value > {step}:", f"            return self.step{max(step - 1, 0)}(total)"]
        lines += ["        return total"]
    lines += ["", f"def build{number}(name: str) -> Model{number}:", f"    return Model{number}(name)", ""]
    lines += ["", f"TABLE{number} = {{"]
    lines += [f'    "build{other}": build{other},' for other in (*others, number)]
    lines += ["}", "", f"def run{number}(key: str) -> int:", f"    made = TABLE{number}[key](key)"]
    lines += [f"    return build{number}(key).step0(1) + sum(map(lambda item: item.step1(2), [made]))", ""]
    return "\n".join(lines)


def script_module(number: int, rng: random.Random, *, typed: bool) -> str:
    """Return the text of a TypeScript or JavaScript module."""
    others = imported(number, rng)
    to_int, to_name = (": number", ": string") if typed else ("", "")
    suffix = "" if typed else ".js"
    lines: list[str] = []
    for other in others:
        theirs = other // PACKAGE_SIZE
        folder = "." if theirs == number // PACKAGE_SIZE else f"../pkg{theirs}"
        lines.append(f'import {{ Model{other}, build{other} }} from "{folder}/mod{other}{suffix}";')
    base = f" extends Model{others[0]}" if others and rng.random() < 0.5 else ""
    lines += ["", f"export class Model{number}{base} {{"]
    lines += [f"  part{other} = build{other}(1);" for other in others]
    for step in range(rng.randint(6, 14)):
        lines += [f"  step{step}(value{to_int}){to_int} {{", "    let total = value;"]
        lines += [f"    total += this.part{other}.step{rng.randint(0, 5)}(value);" for other in others[:3]]
        lines += [f"    if (value > {step}) {{", f"      return this.step{max(step - 1, 0)}(total);", "    }"]
        lines += ["    return total;", "  }", ""]
    lines += ["}", "", f"export function build{number}(size{to_int}) {{", f"  return new Model{number}();", "}", ""]
    lines += [f"export const table{number} = {{"]
    lines += [f"  key{other}: build{other}," for other in (*others, number)]
    lines += ["};", "", f"export function run{number}(key{to_name}) {{"]
    lines += [f"  return [1, 2].map((item) => build{number}(item).step0(item));", "}", ""]
    return "\n".join(lines)


def typescript_module(number: int, rng: random.Random) -> str:
    """Return the text of a TypeScript module."""
    return script_module(number, rng, typed=True)


def javascript_module(number: int, rng: random.Random) -> str:
    """Return the text of a JavaScript module."""
    return script_module(number, rng, typed=False)


def go_module(number: int, rng: random.Random) -> str:
    """Return the text of a Go file; the files of a folder are one package and need no imports of each other."""
    first = number - number % PACKAGE_SIZE
    others = [other for other in imported(number, rng) if other >= first]
    lines = [f"package pkg{number // PACKAGE_SIZE}", "", f"type Model{number} struct {{", "\tName string"]
    lines += [f"\tPart{other} *Model{other}" for other in others]
    lines += ["}", ""]
    for step in range(rng.randint(6, 14)):
        lines += [f"func (m *Model{number}) Step{step}(value int) int {{", "\ttotal := value"]
        lines += [f"\ttotal += m.Part{other}.Step{rng.randint(0, 5)}(value)" for other in others[:3]]
        lines += [f"\tif value > {step} {{", f"\t\treturn m.Step{max(step - 1, 0)}(total)", "\t}"]
        lines += ["\treturn total", "}", ""]
    lines += [f"func Build{number}(name string) *Model{number} {{", f"\treturn &Model{number}{{Name: name}}", "}", ""]
    return "\n".join(lines)


def java_module(number: int, rng: random.Random) -> str:
    """Return the text of a Java file."""
    others = imported(number, rng)
    package = number // PACKAGE_SIZE
    lines = [f"package pkg{package};", ""]
    far = [other for other in others if other // PACKAGE_SIZE != package]
    lines += [f"import pkg{other // PACKAGE_SIZE}.Model{other};" for other in far]
    lines += ["", f"public class Model{number} {{"]
    lines += [f"    private final Model{other} part{other} = Model{other}.build();" for other in others]
    for step in range(rng.randint(6, 14)):
        lines += ["", f"    public int step{step}(int value) {{", "        int total = value;"]
        lines += [f"        total += part{other}.step{rng.randint(0, 5)}(value);" for other in others[:3]]
        lines += [f"        if (value > {step}) {{", f"            return step{max(step - 1, 0)}(total);", "        }"]
        lines += ["        return total;", "    }"]
    lines += [
        "",
        f"    public static Model{number} build() {{",
        f"        return new Model{number}();",
        "    }",
        "}",
        "",
    ]
    return "\n".join(lines)


WRITERS: dict[str, Callable[[int, random.Random], str]] = {
    "python": python_module,
    "typescript": typescript_module,
    "javascript": javascript_module,
    "go": go_module,
    "java": java_module,
}

if __name__ == "__main__":
    main()
