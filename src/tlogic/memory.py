"""How much memory this process has needed at most."""

import sys


def peak_megabytes() -> float | None:
    """Peak resident memory in megabytes, or None where the system does not tell."""
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak / (1 << 20 if sys.platform == "darwin" else 1 << 10), 1)
