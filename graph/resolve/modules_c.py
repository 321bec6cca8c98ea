"""Where the headers of C and C++ live: what an include leads to, without running a build.

Looked for beside the including file, in the include folders of `compile_commands.json` where there is one, in the
folders around the file that headers are kept in by convention, and at last in the whole repository, where only one file
may end in what is written. Headers of the language itself are never found in the repository by `<...>`.
"""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Callable, Sequence

import msgspec
from msgspec import Struct

from graph.resolve.signals import module_signal

__all__ = ["SOURCE_SUFFIXES", "CModules"]

HEADER_SUFFIXES = (".h", ".hh", ".hpp", ".hxx", ".h++", ".inl", ".ipp", ".tpp")
SOURCE_SUFFIXES = (".c", ".cc", ".cpp", ".cxx", ".c++", ".cppm", ".ixx")

_CONVENTIONS = ("include", "inc", "src", "source", "lib", "")
_BUILD_FOLDERS = ("", "build/", "out/", "_build/")
_MAX_COMMANDS_BYTES = 20_000_000
_FLAGS = ("-I", "-iquote", "-isystem", "/I")

_STANDARD = frozenset(
    {
        "assert.h", "complex.h", "ctype.h", "dirent.h", "dlfcn.h", "errno.h", "fcntl.h", "fenv.h", "float.h",
        "getopt.h", "inttypes.h", "iso646.h", "limits.h", "locale.h", "math.h", "netdb.h", "poll.h", "pthread.h",
        "pwd.h", "regex.h", "sched.h", "search.h", "semaphore.h", "setjmp.h", "signal.h", "stdalign.h", "stdarg.h",
        "stdatomic.h", "stdbool.h", "stddef.h", "stdint.h", "stdio.h", "stdlib.h", "stdnoreturn.h", "string.h",
        "strings.h", "syslog.h", "termios.h", "tgmath.h", "threads.h", "time.h", "uchar.h", "unistd.h", "utime.h",
        "wchar.h", "wctype.h", "windows.h",
    }
)  # fmt: skip


class CModules:
    """An index of the files that may be included, and of those that may define what headers declare."""

    def __init__(self, paths: Sequence[str], config_text: Callable[[str], str | None]) -> None:
        self._files = {path for path in paths if path.lower().endswith((*HEADER_SUFFIXES, *SOURCE_SUFFIXES))}
        self._named: defaultdict[str, list[str]] = defaultdict(list)
        self._stems: defaultdict[str, list[str]] = defaultdict(list)
        for path in sorted(self._files):
            name = posixpath.basename(path)
            self._named[name].append(path)
            if path.lower().endswith(SOURCE_SUFFIXES):
                self._stems[name.split(".", 1)[0]].append(path)
        self._include_folders = _include_folders(paths, config_text)
        self._found: dict[tuple[str, str, bool], str | None] = {}

    def resolve(self, importer: str, specifier: str, *, is_system: bool) -> str | None:
        """Return the file that an include leads to, None when it lies outside."""
        folder = posixpath.dirname(importer)
        key = (folder, specifier, is_system)
        if key not in self._found:
            self._found[key] = self._resolve(folder, specifier, is_system=is_system)
        return self._found[key]

    def _resolve(self, folder: str, specifier: str, *, is_system: bool) -> str | None:
        wanted = posixpath.normpath(specifier)
        if is_system and (wanted in _STANDARD or wanted.startswith("sys/") or "." not in wanted):
            return None
        if not is_system and (found := self._in(folder, wanted)):
            return found
        for root in self._include_folders:
            if found := self._in(root, wanted):
                return found
        for around in _around(folder):
            for name in _CONVENTIONS:
                if found := self._in(posixpath.join(around, name), wanted):
                    return found
        tail = wanted.lstrip("./")
        known = [path for path in self._named.get(posixpath.basename(tail), ()) if path.endswith(f"/{tail}")]
        return known[0] if len(known) == 1 else None

    def _in(self, folder: str, specifier: str) -> str | None:
        path = posixpath.normpath(posixpath.join(folder, specifier))
        return path if path in self._files else None

    def sources_of(self, header: str) -> list[str]:
        """Return the files that may define what a header declares: those called like it."""
        return self._stems.get(posixpath.basename(header).split(".", 1)[0], [])

    def signals(self, specifier: str) -> tuple[str, ...]:
        """Return the signals that may change what an include leads to."""
        parts = [part for part in posixpath.normpath(specifier).split("/") if part not in ("", ".", "..")]
        if not parts:
            return ()
        parts[-1] = parts[-1].split(".", 1)[0]
        return (module_signal(".".join(parts)),)


def _around(folder: str) -> list[str]:
    """Return a folder and those around it, the nearest first."""
    found = [folder]
    while folder:
        folder = posixpath.dirname(folder)
        found.append(folder)
    return found


def _include_folders(paths: Sequence[str], config_text: Callable[[str], str | None]) -> list[str]:
    """Return the include folders of the repository that a compilation database names, in its order."""
    folders = {posixpath.dirname(path) for path in paths}
    folders = {around for folder in folders for around in _around(folder)}
    found: dict[str, None] = {}
    for build in _BUILD_FOLDERS:
        text = config_text(f"{build}compile_commands.json")
        if text is None or len(text) > _MAX_COMMANDS_BYTES:
            continue
        for directory, flag in _flags(text):
            folder = _inside(posixpath.join(directory, flag), folders)
            if folder is not None:
                found.setdefault(folder, None)
        break
    return list(found)


class _Command(Struct):
    """An entry of a compilation database, as far as it is read."""

    directory: str = ""
    arguments: tuple[str, ...] = ()
    command: str = ""


def _flags(text: str) -> list[tuple[str, str]]:
    """Return (working folder, include folder) of all commands, each once; none where the file is no database."""
    try:
        commands = msgspec.json.decode(text, type=list[_Command])
    except msgspec.MsgspecError:
        return []
    found: dict[tuple[str, str], None] = {}
    for entry in commands:
        words = entry.arguments or tuple(entry.command.split())
        for word, following in zip(words, (*words[1:], ""), strict=False):
            for flag in _FLAGS:
                if word.startswith(flag):
                    found.setdefault((entry.directory, word.removeprefix(flag) or following), None)
    return list(found)


def _inside(path: str, folders: set[str]) -> str | None:
    """Return the folder of the repository that a path on the machine of the build means, the longest that is one."""
    parts = [part for part in posixpath.normpath(path).split("/") if part not in ("", ".", "..")]
    for start in range(len(parts)):
        folder = "/".join(parts[start:])
        if folder in folders:
            return folder
    return None
