"""Large allocations are estimated first and refused with the bytes and the alternative."""

from __future__ import annotations

import os
from pathlib import Path

from surefit._core.config import settings
from surefit._core.errors import TooMuchMemory


def available_bytes() -> int:
    """What may still be allocated: the setting, else the machine's (or the container's) free memory."""
    if settings.memory_limit is not None:
        return settings.memory_limit
    limits = []
    meminfo = Path("/proc/meminfo")
    if meminfo.exists():
        for line in meminfo.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                limits.append(int(line.split()[1]) * 1024)
    top, used = Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory.current")
    if top.exists() and used.exists() and (text := top.read_text().strip()).isdigit():
        limits.append(int(text) - int(used.read_text()))
    if not limits:
        limits.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    return max(0, min(limits))


def human_bytes(count: float) -> str:
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if count < 1024:
            return f"{count:.0f} {unit}" if unit == "bytes" else f"{count:.1f} {unit}"
        count /= 1024
    return f"{count:.1f} TiB"


def refuse_beyond_memory(n_bytes: float, what: str, alternative: str) -> None:
    """Raise `TooMuchMemory` before an allocation that would not fit. Below 64 MiB nothing is asked of the system."""
    if n_bytes < 2**26 and settings.memory_limit is None:
        return
    free = available_bytes()
    if n_bytes > free:
        raise TooMuchMemory(f"{what} would need {human_bytes(n_bytes)}; {human_bytes(free)} are free. {alternative}")
