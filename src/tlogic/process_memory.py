"""The memory of this process: its peak, and giving back what is free."""

import ctypes
import sys


def peak_megabytes() -> float | None:
    """Peak resident memory in megabytes, or None if the system does not report it."""
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak / (1 << 20 if sys.platform == "darwin" else 1 << 10), 1)


def give_back() -> None:
    """Return freed memory to the system, where the C library would keep it (glibc)."""
    try:
        ctypes.CDLL(None).malloc_trim(0)
    except (AttributeError, OSError, TypeError):
        return  # another C library
