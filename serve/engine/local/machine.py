"""The processors that this process may use."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["physical_cores", "slots_of"]


def physical_cores() -> int:
    """Return the physical cores this process may run on: threads of one core share its arithmetic units."""
    allowed = _allowed()
    cores = {_core(cpu) for cpu in allowed}
    return max(1, min(len(cores), _quota(len(cores))))


def slots_of(cores: int) -> int:
    """Return how many answers such a machine gives at the same time unless told otherwise."""
    return 1 if cores <= 4 else 2


def _allowed() -> set[int]:
    if hasattr(os, "sched_getaffinity"):
        return os.sched_getaffinity(0)
    return set(range(os.cpu_count() or 1))


def _core(cpu: int) -> str:
    """Return a name that all hardware threads of a core share."""
    try:
        siblings = Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list")
        return siblings.read_text(encoding="ascii").strip()
    except OSError:
        return str(cpu)


def _quota(otherwise: int) -> int:
    """Return the whole cores that a container allows, at least one."""
    try:
        limit, period = Path("/sys/fs/cgroup/cpu.max").read_text(encoding="ascii").split()
        return max(1, int(limit) // int(period))
    except (OSError, ValueError):
        return otherwise
