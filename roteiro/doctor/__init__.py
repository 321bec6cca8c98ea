"""What could keep Roteiro from working here, each finding with its cure.

A check looks and changes nothing. A cure is a command: run as it is printed, the finding is gone. Read `finding.py` for
what a finding is; the other modules each look at one part of the house.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from roteiro.config import Config, load_config
from roteiro.doctor.finding import Finding, Level
from roteiro.doctor.index import look_at_index
from roteiro.doctor.machine import look_at_address, look_at_disk, look_at_engine, look_at_git, look_at_python
from roteiro.doctor.models import look_at_models
from roteiro.doctor.settings import mistaken_setting, settings_read
from roteiro.doctor.upstreams import look_at_upstreams
from roteiro.errors import ConfigError

__all__ = ["Finding", "Level", "examine"]


def examine(root: Path) -> list[Finding]:
    """Return every finding, in the order in which a person would mend them."""
    findings = [*look_at_python(), *look_at_git()]
    try:
        config = load_config(root)
    except ConfigError as error:
        return [*findings, mistaken_setting(error)]
    findings.append(settings_read(config))
    checks: tuple[Callable[[Path, Config], Iterator[Finding]], ...] = (
        look_at_index,
        look_at_engine,
        look_at_models,
        look_at_upstreams,
        look_at_address,
        look_at_disk,
    )
    return findings + [finding for check in checks for finding in check(root, config)]
