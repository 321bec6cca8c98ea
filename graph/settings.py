"""What a person may set about indexing; `roteiro.config` composes it with the settings of the other packages."""

from msgspec import Struct

__all__ = ["IndexSettings"]


class IndexSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """The `[index]` table. Numbers may be narrowed by a repository's own `roteiro.toml`, never widened."""

    exclude: tuple[str, ...] = ()
    """Patterns in gitignore syntax that also exclude tracked files."""
    max_file_bytes: int = 1_500_000
    """Larger files are skipped with the reason recorded: hand-written source stays far below (Django: 0.3 MB)."""
    max_files: int = 200_000
    """Past this many files the sync refuses and names the folders that hold the most, instead of filling the disk."""
    workers: int = 0
    """Extraction processes; 0 means one for each core."""
