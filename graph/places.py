"""Where the stores of a root live, and whether a folder found there is our own.

    in a checkout       <git dir>/roteiro/graph.db, and <git common dir>/roteiro/blobs shared by its worktrees
    without git         <root>/.roteiro/, which ignores itself
    anything else       <user cache>/roteiro/stores/<name>-<digest of the root>/

"Anything else" is a folder that cannot be written, and every folder that came with the tree. A tree may bring a
`.roteiro` or even a whole `.git` along, as a link or with a prepared database. So a store folder is ours only when it
holds the mark of this user (`mark.txt`, a random number kept in the user cache folder), and a `.git` that points
elsewhere is believed only when the place it points to points back.
"""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

import platformdirs
from msgspec import Struct

from graph.errors import RootError
from graph.git import Worktree

__all__ = ["Places", "places_for", "prepare"]

_MARK = "mark.txt"
_BESIDE = ".roteiro"


class Places(Struct, frozen=True):
    """Two folders, which need not exist yet, and in words why they are not beside the repository (else empty)."""

    store_folder: Path
    cache_folder: Path
    cache_home: Path
    elsewhere: str = ""

    @property
    def database(self) -> Path:
        """The graph of this worktree."""
        return self.store_folder / "graph.db"

    @property
    def facts(self) -> Path:
        """The cache of extracted facts, by blob."""
        return self.cache_folder / "facts.db"

    @property
    def lock(self) -> Path:
        """Held by whoever writes the graph."""
        return self.store_folder / "sync.lock"


def places_for(root: Path, worktree: Worktree | None, cache_home: Path | None = None) -> Places:
    """Return where the stores of a root are, or would be; creates nothing."""
    home = cache_home or platformdirs.user_cache_path("roteiro")
    if worktree is not None and (untrusted := _distrust(worktree)):
        return _in_user_cache(root, home, untrusted)
    if worktree is not None:
        store = worktree.git_dir / "roteiro"
        shared = worktree.common_dir / "roteiro"
    else:
        store = shared = root / _BESIDE
    for folder in {store, shared}:
        if reason := _refusal(folder, home):
            return _in_user_cache(root, home, reason)
    return Places(store, shared / "blobs", home)


def prepare(places: Places) -> None:
    """Create the folders and mark them as ours.

    Raises:
        RootError: not even the user cache folder can be written.

    """
    try:
        _our_mark(places.cache_home, places.store_folder, create=True)
        for folder in (places.store_folder, places.cache_folder):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for folder in {places.store_folder, places.cache_folder.parent}:
            _write_new(folder / _MARK, _our_mark(places.cache_home, folder, create=False))
        if places.store_folder.name == _BESIDE:
            _write_new(places.store_folder / ".gitignore", "*\n")
    except OSError as error:
        raise RootError(
            f"no place for the index: {error.filename or places.store_folder} cannot be written ({error.strerror}). "
            f"Set XDG_CACHE_HOME to a folder that can."
        ) from None


def _distrust(worktree: Worktree) -> str:
    """Say why the git folders of a checkout are not to be written, empty when they are its own."""
    entry = worktree.top / ".git"
    if entry.is_symlink():
        return f"{entry} is a symbolic link"
    if entry.is_dir():
        same = worktree.git_dir.resolve() == entry.resolve() == worktree.common_dir.resolve()
        return "" if same else f"{entry} shares the git folder of another repository"
    if _points_back(worktree, entry):
        return ""
    return f"{entry} names {worktree.git_dir}, which does not name it back"


def _points_back(worktree: Worktree, entry: Path) -> bool:
    """Say whether a git folder elsewhere knows this checkout: a linked worktree or a submodule."""
    common = worktree.common_dir.resolve()
    git_dir = worktree.git_dir.resolve()
    if git_dir.parent == common / "worktrees":
        try:
            return Path((git_dir / "gitdir").read_text().strip()).resolve() == entry.resolve()
        except (OSError, ValueError):
            return False
    # A submodule: git itself read core.worktree there and found this top (`find_worktree` checks that it holds us).
    return git_dir == common and "modules" in git_dir.parts and _superproject_holds(git_dir, worktree.top)


def _superproject_holds(git_dir: Path, top: Path) -> bool:
    """Say whether `<superproject>/.git/modules/...` belongs to a folder above the submodule."""
    above = next((folder for folder in git_dir.parents if folder.name == ".git"), None)
    return above is not None and above.parent in top.resolve().parents


def _refusal(folder: Path, home: Path) -> str:
    """Say why a store folder cannot be used; a missing one can when its parent is writable."""
    try:
        found = folder.lstat()
    except OSError:
        return "" if os.access(folder.parent, os.W_OK | os.X_OK) else f"{folder.parent} cannot be written"
    if not stat.S_ISDIR(found.st_mode):
        return f"{folder} is a link or a file that came with the tree"
    if not os.access(folder, os.W_OK | os.X_OK):
        return f"{folder} cannot be written"
    if not _is_ours(folder, home):
        return f"{folder} was not made here by this user"
    inner = [name for name in ("graph.db", "blobs", "sync.lock", "blobs/facts.db") if (folder / name).is_symlink()]
    return f"{folder / inner[0]} is a symbolic link" if inner else ""


def _is_ours(folder: Path, home: Path) -> bool:
    mark = _our_mark(home, folder, create=False)
    path = folder / _MARK
    try:
        return bool(mark) and not path.is_symlink() and path.read_text() == mark
    except (OSError, ValueError):
        return False


def _our_mark(home: Path, folder: Path, *, create: bool) -> str:
    """Return what our own folders hold: a digest of this user's random number, empty when there is none yet.

    That of a `.roteiro` is bound to its place: a tree is copied with it, changed and handed back more easily than a git
    folder, which `git clone` leaves behind.
    """
    path = home / "identity"
    if create:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        _write_new(path, os.urandom(16).hex())
    try:
        place = os.fsencode(folder.absolute()) if folder.name == _BESIDE else b""
        return hashlib.sha256(f"roteiro store {path.read_text()}".encode() + place).hexdigest()
    except OSError:
        return ""


def _write_new(path: Path, text: str) -> None:
    """Write a small file unless it is there; whole or not at all, also when two processes do it at once."""
    if path.exists():
        return
    draft = path.with_name(f"{path.name}.{os.urandom(4).hex()}")
    draft.write_text(text)
    try:
        path.hardlink_to(draft)
    except FileExistsError:
        pass  # the other process was first; its number counts
    except OSError:
        draft.replace(path)  # a file system without hard links
        return
    draft.unlink()


def _in_user_cache(root: Path, home: Path, reason: str) -> Places:
    digest = hashlib.sha256(os.fsencode(root)).hexdigest()[:16]
    folder = home / "stores" / f"{root.name or 'root'}-{digest}"
    return Places(folder, folder / "blobs", home, reason)
