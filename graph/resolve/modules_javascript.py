"""Where a JavaScript or TypeScript module lives: specifiers to files, as Node, TypeScript and bundlers look them up.

Relative paths with and without extension, `./x.js` that is written `x.ts`, `index` files, `paths` and `baseUrl`,
`exports`, `imports` and `main` of `package.json`, workspaces, a package's own name. A target in a build folder that is
not in the repository is looked for in `src`, where its source text is.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence

from msgspec import Struct

from graph.resolve.library_javascript import NODE_MODULES
from graph.resolve.packages_javascript import (
    Package,
    PathRules,
    TextReader,
    export_targets,
    read_package,
    read_path_rules,
    workspace_globs,
)
from graph.resolve.signals import module_signal

__all__ = ["Found", "ScriptModules"]

_TYPED = (".ts", ".tsx", ".mts", ".cts")
_SCRIPT = (".js", ".mjs", ".cjs", ".jsx")
_DECLARED = (".d.ts", ".d.mts", ".d.cts")
_SUFFIXES = (*_TYPED, *_SCRIPT)
_SOURCE_OF = {
    ".js": (".ts", ".tsx", ".jsx", ".d.ts"),
    ".jsx": (".tsx", ".d.ts"),
    ".mjs": (".mts", ".d.mts"),
    ".cjs": (".cts", ".d.cts"),
}
_BUILD_FOLDERS = frozenset(
    {"dist", "lib", "build", "out", "esm", "cjs", "es", "output", "types", "typings", "module", "_esm"}
)
_SOURCE_FOLDERS = ("src", "source", "lib", "")
_BUILD_PART = re.compile(r"^(?:esm|cjs|es|umd|node|browser|module|commonjs|types|src|es20\d\d)$")
_WORKSPACE_FILES = ("pnpm-workspace.yaml", "lerna.json")
_WORKSPACE_SIGNALS = tuple(module_signal(name) for name in ("pnpm-workspace", "lerna", "package"))
"""Given when such a file, or a `package.json`, appears or goes away anywhere: either may make or unmake a workspace."""
_MAX_GLOBS = 40
_EXTERNAL = re.compile(r"^(?:node|npm|jsr|https?|data|bun|virtual|file):")


class Found(Struct, frozen=True):
    """Where a specifier leads."""

    path: str | None
    is_external: bool = False
    """It names something outside; otherwise a missing path is a file that is not there, or no module."""
    listens: tuple[str, ...] = ()


class ScriptModules:
    """An index of the script files of a repository and of the configurations around them."""

    def __init__(self, paths: Sequence[str], texts: TextReader) -> None:
        self._files = {path for path in paths if path.endswith(_SUFFIXES)}
        self._texts = texts
        self._folders = _all_folders(self._files)
        self._packages: dict[str, Package | None] = {}
        self._rules: dict[str, PathRules] = {}
        self._found: dict[tuple[str, bool, str], Found] = {}
        self._workspace_files: list[str] = []
        self._globs: list[tuple[str, str]] = []
        """The patterns of all workspaces, each with the folder that declares it."""
        self._workspaces = self._workspace_packages()

    def resolve(self, importer: str, specifier: str) -> Found:
        """Return where a specifier written in a file leads."""
        folder = posixpath.dirname(importer)
        is_typed = importer.endswith(_TYPED)
        key = (folder, is_typed, specifier)
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = _Lookup(self, folder, is_typed=is_typed).resolve(specifier)
        return found

    # -- files ----------------------------------------------------------------------------------------------------

    def file(self, base: str, *, is_typed: bool) -> str | None:
        """Return the file that a path without a sure extension means, None when there is none."""
        stem, dot, suffix = base.rpartition(".")
        sources = _SOURCE_OF.get(dot + suffix, ()) if dot else ()
        exact = [base] if base in self._files else []
        written = [stem + source for source in sources if stem + source in self._files]
        for path in (*written, *exact) if is_typed else (*exact, *written):
            return path
        order = (*_TYPED, *_SCRIPT, *_DECLARED) if is_typed else (*_SCRIPT, *_TYPED, *_DECLARED)
        return next((base + added for added in order if base + added in self._files), None)

    def module(self, base: str, *, is_typed: bool) -> str | None:
        """Return the file of a module at a path: the file itself, or the entry of the folder."""
        if base and (found := self.file(base, is_typed=is_typed)) is not None:
            return found
        if base not in self._folders:
            return None
        package = self.package(base)
        if package is not None and base:
            for entry in package.entries:
                if (found := self.target(package, entry, is_typed=is_typed)) is not None:
                    return found
        return self.file(_joined(base, "index"), is_typed=is_typed)

    def target(self, package: Package, target: str, *, is_typed: bool) -> str | None:
        """Return the file that an entry of a `package.json` means, in its sources when it was built from them."""
        base = _joined(package.folder, target)
        if (found := self.file(base, is_typed=is_typed) or self._index(base, is_typed=is_typed)) is not None:
            return found
        parts = target.removeprefix("./").split("/")
        if parts[0] not in _BUILD_FOLDERS:
            return None
        rest = parts[1:]
        while rest and _BUILD_PART.match(rest[0]):
            rest = rest[1:]
        stem = re.sub(r"(?:\.d)?\.[cm]?[jt]sx?$|\.(?:umd|esm|cjs|min)(?:\.[cm]?js)?$", "", "/".join(rest))
        for folder in _SOURCE_FOLDERS:
            place = _joined(package.folder, posixpath.join(folder, stem))
            if (found := self.file(place, is_typed=is_typed) or self._index(place, is_typed=is_typed)) is not None:
                return found
        return None

    def _index(self, folder: str, *, is_typed: bool) -> str | None:
        return self.file(_joined(folder, "index"), is_typed=is_typed) if folder in self._folders else None

    # -- configurations -------------------------------------------------------------------------------------------

    def package(self, folder: str) -> Package | None:
        """Return the `package.json` of a folder."""
        if folder not in self._packages:
            self._packages[folder] = read_package(folder, self._texts(_joined(folder, "package.json")))
        return self._packages[folder]

    def package_around(self, folder: str) -> tuple[Package | None, list[str]]:
        """Return the nearest package of a folder, and the paths of configurations that were looked at."""
        looked: list[str] = []
        for around in _upwards(folder):
            looked.append(_joined(around, "package.json"))
            if (package := self.package(around)) is not None:
                return package, looked
        return None, looked

    def path_rules(self, folder: str) -> PathRules:
        """Return the path rules that hold for the files of a folder: those of the nearest configuration."""
        if folder not in self._rules:
            self._rules[folder] = self._nearest_rules(folder)
        return self._rules[folder]

    def _nearest_rules(self, folder: str) -> PathRules:
        looked: list[str] = []
        for around in _upwards(folder):
            for name in ("tsconfig.json", "jsconfig.json"):
                path = _joined(around, name)
                looked.append(path)
                if self._texts(path) is not None:
                    rules = read_path_rules(path, self._texts, self._package_folder)
                    return PathRules(rules.base, rules.paths, (*looked, *rules.read))
        return PathRules(read=tuple(looked))

    def _package_folder(self, name: str) -> tuple[str | None, list[str]]:
        """Return the folder of a package of a workspace, and where was looked for it.

        One that only holds configurations is in no list of folders: it is looked for under the last part of its name.
        """
        looked = list(self.workspace_listens())
        known = self._workspaces.get(name)
        if known is not None:
            return known.folder, [*looked, _joined(known.folder, "package.json")]
        for root, glob in self._globs:
            before, star, _ = glob.partition("*")
            folder = _joined(root, posixpath.join(before, name.rpartition("/")[2]) if star else glob)
            if folder.startswith(".."):
                continue
            looked.append(_joined(folder, "package.json"))
            package = self.package(folder)
            if package is not None and package.name == name:
                return folder, looked
        return None, looked

    def workspace(self, name: str) -> Package | None:
        """Return the package of a workspace by its name."""
        return self._workspaces.get(name)

    def workspace_listens(self) -> tuple[str, ...]:
        """Return the paths and signals that may change which packages `workspace` knows."""
        return (*self._workspace_files, *_WORKSPACE_SIGNALS)

    def _workspace_packages(self) -> dict[str, Package]:
        """Return the packages that some workspace root declares, by name; the outermost root wins."""
        found: dict[str, Package] = {}
        for folder in sorted(self._folders, key=lambda folder: (folder.count("/"), folder)):
            if "node_modules" in folder.split("/"):
                continue
            pnpm, lerna = (self._texts(_joined(folder, name)) for name in _WORKSPACE_FILES)
            package = self.package(folder)
            declared = zip(
                (*_WORKSPACE_FILES, "package.json"), (pnpm, lerna, package and package.workspaces), strict=True
            )
            self._workspace_files += [_joined(folder, name) for name, text in declared if text]
            globs = workspace_globs(package, pnpm, lerna)
            if not globs:
                continue
            self._globs += [(folder, glob) for glob in globs[:_MAX_GLOBS] if not glob.startswith("!")]
            for member in self._members(folder, globs):
                package = self.package(member)
                if package is not None and package.name:
                    found.setdefault(package.name, package)
        return found

    def _members(self, root: str, globs: tuple[str, ...]) -> list[str]:
        wanted = [_glob(root, glob) for glob in globs if not glob.startswith("!")]
        unwanted = [_glob(root, glob[1:]) for glob in globs if glob.startswith("!")]
        return [
            folder
            for folder in sorted(self._folders)
            if any(pattern.match(folder) for pattern in wanted)
            and not any(pattern.match(folder) for pattern in unwanted)
            and "node_modules" not in folder.split("/")
        ]


class _Lookup:
    """One specifier seen from one folder."""

    def __init__(self, modules: ScriptModules, folder: str, *, is_typed: bool) -> None:
        self._modules = modules
        self._folder = folder
        self._is_typed = is_typed
        self._listens: list[str] = []

    def resolve(self, specifier: str) -> Found:
        specifier = re.split(r"[?!]", specifier, maxsplit=1)[0] if not specifier.startswith(("?", "!")) else specifier
        if specifier in {".", ".."} or specifier.startswith(("./", "../")):
            return self._answer(self._at(posixpath.join(self._folder, specifier)), is_external=False)
        if _EXTERNAL.match(specifier) or not specifier:
            return Found(None, is_external=True)
        if specifier.startswith("/"):
            return self._answer(self._at(specifier.lstrip("/")), is_external=False)
        path = self._by_rules(specifier)
        if path is None:
            path = self._internal(specifier) if specifier.startswith("#") else self._packaged(specifier)
        return self._answer(path, is_external=path is None and not self._may_be_beside(specifier))

    def _may_be_beside(self, specifier: str) -> bool:
        """Tell whether a loader with a base folder would find a file beside the importer, which no rule says.

        Only where nothing else is known by the name: neither Node nor a dependency of any package around. What is
        imported is then not known, so that calls of it have candidates; it does not lead there.
        """
        name = specifier.split("/", 1)[0]
        if self._is_typed or name in NODE_MODULES or not re.match(r"[A-Za-z_]", specifier):
            return False
        for around in _upwards(self._folder):
            self._listens.append(_joined(around, "package.json"))
            package = self._modules.package(around)
            if package is not None and not package.depends.isdisjoint({name, f"@types/{name}"}):
                return False
        return self._at(posixpath.join(self._folder, specifier)) is not None

    def _answer(self, path: str | None, *, is_external: bool) -> Found:
        return Found(path, is_external, tuple(dict.fromkeys(self._listens)))

    def _at(self, path: str) -> str | None:
        base = _joined("", path)
        if base.startswith("../") or base == "..":
            return None
        self._listens += _signals(base)
        return self._modules.module(base, is_typed=self._is_typed)

    def _by_rules(self, specifier: str) -> str | None:
        rules = self._modules.path_rules(self._folder)
        self._listens += rules.read
        for pattern, targets in rules.paths:
            before, star, after = pattern.partition("*")
            if not star and pattern != specifier:
                continue
            if star and not (specifier.startswith(before) and specifier.endswith(after)):
                continue
            stem = specifier[len(before) : len(specifier) - len(after)] if star else ""
            for target in targets:
                if (found := self._at(target.replace("*", stem))) is not None:
                    return found
            return None
        return self._at(_joined(rules.base, specifier)) if rules.base is not None else None

    def _internal(self, specifier: str) -> str | None:
        package, looked = self._modules.package_around(self._folder)
        self._listens += looked
        return self._first(package, export_targets(package.imports, specifier)) if package is not None else None

    def _packaged(self, specifier: str) -> str | None:
        parts = specifier.split("/")
        name = "/".join(parts[:2]) if specifier.startswith("@") else parts[0]
        rest = specifier[len(name) :].lstrip("/")
        package, looked = self._modules.package_around(self._folder)
        self._listens += looked
        if package is None or package.name != name:
            linked = package.linked.get(name) if package is not None else None
            package = self._modules.package(linked) if linked is not None else self._modules.workspace(name)
            self._listens += self._modules.workspace_listens()
        if package is None:
            return None
        self._listens.append(_joined(package.folder, "package.json"))
        return self._inside(package, rest)

    def _inside(self, package: Package, rest: str) -> str | None:
        if package.exports is not None:
            found = self._first(package, export_targets(package.exports, f"./{rest}" if rest else "."))
            if found is not None:
                return found
        if rest:
            places = (rest, posixpath.join("src", rest), posixpath.join("dist", rest))
            return next((found for place in places if (found := self._at(_joined(package.folder, place)))), None)
        if (found := self._first(package, package.entries)) is not None:
            return found
        entries = ("src/index", "index", "lib/index", "src/main")
        return next((found for place in entries if (found := self._at(_joined(package.folder, place)))), None)

    def _first(self, package: Package, targets: tuple[str, ...]) -> str | None:
        for target in targets:
            self._listens += _target_signals(package.folder, target)
            if (found := self._modules.target(package, target, is_typed=self._is_typed)) is not None:
                return found
        return None


def _target_signals(folder: str, target: str) -> list[str]:
    """Return what is heard when an entry of a package, or what it is built from, appears or goes."""
    places = [target]
    if target.removeprefix("./").split("/", 1)[0] in _BUILD_FOLDERS:
        places += [posixpath.join(source, posixpath.basename(target)) for source in _SOURCE_FOLDERS]
    return [signal for place in places for signal in _signals(_joined(folder, place), by_name=True)]


def _signals(base: str, *, by_name: bool = False) -> tuple[str, ...]:
    """Return what is heard when the module at a path appears or goes; by its name alone it may lie in any folder."""
    folder, _, name = base.rpartition("/")
    stem = name.split(".", 1)[0]
    place = folder if stem == "index" else f"{folder}/{stem}".strip("/")
    if not place:  # the index of the repository itself has no name
        return tuple(f"index{suffix}" for suffix in (*_SUFFIXES, *_DECLARED))
    return (module_signal(place.rpartition("/")[2] if by_name else place.replace("/", ".")),)


def _all_folders(files: set[str]) -> set[str]:
    folders = {""}
    for path in files:
        folder = posixpath.dirname(path)
        while folder not in folders:
            folders.add(folder)
            folder = posixpath.dirname(folder)
    return folders


def _upwards(folder: str) -> list[str]:
    found = [folder]
    while folder:
        folder = posixpath.dirname(folder)
        found.append(folder)
    return found


def _joined(folder: str, name: str) -> str:
    path = posixpath.normpath(posixpath.join(folder, name))
    return "" if path == "." else path


def _glob(root: str, glob: str) -> re.Pattern[str]:
    parts = re.split(r"(\*\*/?|\*)", _joined(root, glob.rstrip("/")))
    meaning = {"**/": r"(?:[^/]+/)*", "**": r".*", "*": r"[^/]*"}
    return re.compile("".join(meaning.get(part, re.escape(part)) for part in parts) + r"\Z")
