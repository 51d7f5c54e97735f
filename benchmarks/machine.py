"""What the measurements were taken on."""

from __future__ import annotations

import os
import platform
import time
from pathlib import Path
from typing import Any


def machine() -> dict[str, Any]:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {
        "processor": _processor(),
        "cores": cores,
        "system": platform.system(),
        "python": platform.python_version(),
        "date": time.strftime("%Y-%m-%d"),
    }


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()
