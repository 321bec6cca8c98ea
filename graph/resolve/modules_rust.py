"""The tree of Rust modules: which file `mod x;` means, what stands above a file, and which crate it is part of.

A file is found from its parent by the names that the language fixes (`x.rs`, `x/mod.rs`, `#[path]`), and its parent by
looking for the file that declares it where that file can stand; only a file that nobody declares there is looked for in
the declarations of its whole package.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from msgspec import Struct

from graph.extract.facts import Import
from graph.resolve.crates_rust import Package, manifests_above, read_packages
from graph.resolve.signals import folder_signal, module_signal
from graph.resolve.views import FileView
from graph.resolve.world import World

__all__ = ["Place", "RustModules", "declared_files"]

_MAX_FILES = 4_000
"""Files of one crate that are looked through for implementations."""


class Place(Struct, frozen=True):
    """A module: the root of a file (scope 0), or an inline module in it."""

    path: str
    scope: int = 0


class RustModules:
    """An index of the Rust files of a repository and of its packages."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._files = {path for path in world.paths() if path.endswith(".rs")}
        self._packages = read_packages(sorted(self._files), world.config_text)
        self._roots: dict[str, Package] = {root: item for item in self._packages.values() for root in item.roots}
        self._perhaps: dict[str, Package] = {root: item for item in self._packages.values() for root in item.found}
        self._parents: dict[str, Place | None] = {}
        self._strays: dict[str, dict[str, Place]] = {}
        self._crates: dict[str, tuple[str, ...]] = {}
        self._listens: dict[str, tuple[str, ...]] = {}
        self._asked: dict[str, set[str]] = {}
        """What was looked at to find the parent of a file, or the files of a crate."""

    # -- downwards ------------------------------------------------------------------------------------------------

    def declared(self, view: FileView, item: Import) -> str | None:
        """Return the file that `mod name;` means."""
        found = self.candidates(view, item)
        return next((path for path in found if path in self._files), None)

    def candidates(self, view: FileView, item: Import) -> tuple[str, ...]:
        """Return the files that `mod name;` may mean."""
        found = declared_files(view, item, is_root=self.is_root(view.path))
        if view.path not in self._perhaps:
            return found
        return (*declared_files(view, item, is_root=True), *found)

    def is_root(self, path: str) -> bool:
        """Tell whether a file is the root of a crate."""
        return path in self._roots or (posixpath.basename(path) in ("lib.rs", "main.rs") and self.package(path) is None)

    # -- upwards --------------------------------------------------------------------------------------------------

    def parent(self, place: Place) -> Place | None:
        """Return the module around a module, None for the root of a crate."""
        if place.scope > 0:
            return self.module_of(
                self._world.view(place.path), self._world.view(place.path).facts.scopes[place.scope].parent
            )
        if place.path not in self._parents:
            self._parents[place.path] = None if self.is_root(place.path) else self._parent(place.path)
        return self._parents[place.path]

    def module_of(self, view: FileView, scope: int) -> Place:
        """Return the innermost module around a scope, the scope itself included."""
        while scope > 0 and view.facts.scopes[scope].kind != "module":
            scope = view.facts.scopes[scope].parent
        return Place(view.path, max(scope, 0))

    def asked(self, path: str) -> set[str]:
        """Return what may change the modules above a file, up to the root of its crate."""
        found: set[str] = set()
        seen: set[str] = set()
        while path not in seen:
            seen.add(path)
            above = self.parent(Place(path))
            found.update(self._asked.get(path, ()), self.listens(path))
            if above is None:
                break
            found.add(above.path)
            path = above.path
        return found

    def _parent(self, path: str) -> Place | None:
        asked = self._asked[path] = set[str]()
        for candidate in self._above(path, asked):
            asked.add(candidate)
            view = self._world.view(candidate)
            for item in view.facts.imports:
                if item.kind == "declare" and self.declared(view, item) == path:
                    return self.module_of(view, item.scope)
        if path in self._perhaps:
            return None
        package = self.package(path)
        folder = package.folder if package is not None else ""
        prefix = f"{folder}/" if folder else ""
        for other in self._files:
            if other.startswith(prefix):
                asked.add(other)
                asked.update(folder_signal(posixpath.dirname(manifest)) for manifest in manifests_above(other))
        asked.add(module_signal("Cargo"))
        return self._stray(folder).get(path)

    def _above(self, path: str, asked: set[str]) -> Iterator[str]:
        """Give the files that may declare a file by the usual names, the nearest first."""
        folder, name = posixpath.split(path)
        if name == "mod.rs":
            folder = posixpath.dirname(folder)
        while True:
            asked.update((folder_signal(folder), f"{folder}.rs"))
            beside = (posixpath.join(folder, other) for other in ("mod.rs", "lib.rs", "main.rs"))
            yield from (found for found in (*beside, f"{folder}.rs") if found in self._files and found != path)
            yield from (
                root
                for root in sorted({*self._roots, *self._perhaps})
                if posixpath.dirname(root) == folder and root != path
            )
            if not folder or f"{folder}.rs" in self._files or posixpath.join(folder, "mod.rs") in self._files:
                return
            folder = posixpath.dirname(folder)

    def _stray(self, folder: str) -> dict[str, Place]:
        """Return the files of a package that are declared with `#[path]`, each with its module."""
        found = self._strays.get(folder)
        if found is None:
            found = self._strays[folder] = {}
            prefix = f"{folder}/" if folder else ""
            for path in sorted(self._files):
                if not path.startswith(prefix):
                    continue
                view = self._world.view(path)
                for item in view.facts.imports:
                    target = self.declared(view, item) if item.kind == "declare" and "." in item.specifier else None
                    if target is not None:
                        found.setdefault(target, self.module_of(view, item.scope))
        return found

    def root(self, path: str) -> str:
        """Return the root file of the crate of a file; the file itself where nothing declares it."""
        seen: set[str] = set()
        while path not in seen:
            seen.add(path)
            above = self.parent(Place(path))
            if above is None:
                return path
            path = above.path
        return path

    # -- crates ---------------------------------------------------------------------------------------------------

    def package(self, path: str) -> Package | None:
        """Return the package that a file is part of."""
        folder = posixpath.dirname(path)
        while folder and folder not in self._packages:
            folder = posixpath.dirname(folder)
        return self._packages.get(folder)

    def crate(self, path: str, name: str) -> str | None:
        """Return the root of the library that a crate name means in a file, None for one outside the repository."""
        package = self.package(path)
        if package is None:
            return None
        if name == package.name and package.library is not None:
            return package.library
        for linked, folder in package.linked:
            if linked == name and folder in self._packages:
                return self._packages[folder].library
        return None

    def is_outside(self, path: str, name: str) -> bool:
        """Tell whether a name is that of a crate outside the repository in a file."""
        package = self.package(path)
        return package is not None and name in package.outside

    def listens(self, path: str) -> tuple[str, ...]:
        """Return what may change the crate that a file is in, and the crates that it can name."""
        folder = posixpath.dirname(path)
        known = self._listens.get(folder)
        if known is None:
            known = self._listens[folder] = self._read_listens(path)
        return known

    def _read_listens(self, path: str) -> tuple[str, ...]:
        found = {module_signal("Cargo"), module_signal("lib"), module_signal("main")}
        found.update(manifest for manifest in manifests_above(path) if self._world.config_text(manifest) is not None)
        package = self.package(path)
        for _, folder in package.linked if package is not None else ():
            found.update((posixpath.join(folder, "Cargo.toml"), folder_signal(posixpath.join(folder, "src"))))
        return tuple(sorted(found))

    def crate_files(self, root: str) -> tuple[str, ...]:
        """Return the files of a crate, the root first."""
        found = self._crates.get(root)
        if found is None:
            order: dict[str, None] = {}
            asked = self._asked[f"crate {root}"] = set[str]()
            open_files = [root]
            while open_files and len(order) < _MAX_FILES:
                path = open_files.pop()
                if path in order:
                    continue
                order[path] = None
                view = self._world.view(path)
                asked.update(self.listens(path))
                for item in view.facts.imports:
                    if item.kind == "declare":
                        asked.update(self.candidates(view, item))
                below = [self.declared(view, item) for item in view.facts.imports if item.kind == "declare"]
                open_files.extend(item for item in reversed(below) if item is not None)
            found = self._crates[root] = tuple(order)
        return found

    def crate_listens(self, root: str) -> set[str]:
        """Return what may change the files of a crate: the files that its declarations may mean."""
        return self._asked.get(f"crate {root}", set())


def declared_files(view: FileView, item: Import, *, is_root: bool) -> tuple[str, ...]:
    """Return the files that a declaration may mean, the likeliest first."""
    folder, name = posixpath.split(view.path)
    inside = list(reversed([*_inline_names(view, item.scope)]))
    own = folder if is_root or name == "mod.rs" else posixpath.join(folder, name.removesuffix(".rs"))
    is_placed = "." in item.specifier or "/" in item.specifier
    if is_placed:
        base = posixpath.join(own, *inside) if inside else folder
        placed = posixpath.normpath(posixpath.join(base, item.specifier))
        return () if placed.startswith(("..", "/")) else (placed,)
    base = posixpath.join(own, *inside, item.specifier.removeprefix("r#"))
    return (f"{base}.rs", posixpath.join(base, "mod.rs"))


def _inline_names(view: FileView, scope: int) -> Iterator[str]:
    """Give the names of the inline modules around a scope, the innermost first."""
    while scope > 0:
        facts = view.facts.scopes[scope]
        if facts.kind == "module" and facts.definition >= 0:
            yield view.facts.definitions[facts.definition].name
        scope = facts.parent
