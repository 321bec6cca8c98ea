"""Write the reference pages of this tree, or check them with `--check`."""

from __future__ import annotations

import sys
from pathlib import Path

from roteiro.reference.pages import differences, write

_FOLDER = Path(__file__).resolve().parents[2] / "docs" / "reference"


def main(arguments: list[str]) -> int:
    """Return 0; 1 when a checked page differs."""
    if "--check" not in arguments:
        write(_FOLDER)
        return 0
    wrong = differences(_FOLDER)
    for name in wrong:
        sys.stderr.write(f"docs/reference/{name} differs from the code. Cure: python -m roteiro.reference\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
