"""Whether the graph of the repository is there, whole, and says what the files say."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from graph.errors import GraphError, StoreCorruptError
from graph.repository import Repository
from roteiro.config import Config
from roteiro.doctor.finding import Finding, command
from roteiro.folders import cache_folder

__all__ = ["look_at_index"]

_MOST_SHOWN = 3


def look_at_index(root: Path, config: Config) -> Iterator[Finding]:
    """Yield where the store is when that is a surprise, and one finding about the index."""
    rebuild = command("sync", "--rebuild", "--root", root)
    try:
        with Repository.open(root, settings=config.index, cache_home=cache_folder()) as repository:
            yield from _look_at_store(repository, rebuild)
    except StoreCorruptError as error:
        yield Finding(check="index", level="problem", message=str(error), cure=rebuild)
    except GraphError as error:
        yield Finding(check="index", level="problem", message=str(error), cure=error.cure or rebuild)


def _look_at_store(repository: Repository, rebuild: str) -> Iterator[Finding]:
    sync = command("sync", "--root", repository.root)
    if repository.places.elsewhere:
        yield Finding(
            check="store",
            level="ok",
            message=f"kept in {repository.places.store_folder}, because {repository.places.elsewhere}",
        )
    freshness = repository.freshness()
    if not freshness.is_indexed:
        yield Finding(check="index", level="warning", message=f"{repository.root} is not indexed yet", cure=sync)
    elif wrong := repository.store.verify():
        shown = "; ".join(wrong[:_MOST_SHOWN])
        yield Finding(check="index", level="problem", message=f"the store contradicts itself: {shown}", cure=rebuild)
    elif freshness.changed_files:
        message = f"{freshness.changed_files:,} files are newer than the index"
        yield Finding(check="index", level="warning", message=message, cure=sync)
    else:
        yield Finding(check="index", level="ok", message=f"up to date ({repository.places.database})")
