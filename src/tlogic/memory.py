"""The peak memory of this process."""

import sys


def peak_megabytes() -> float | None:
    """Peak resident memory in megabytes, or None if the system does not report it."""
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak / (1 << 20 if sys.platform == "darwin" else 1 << 10), 1)
