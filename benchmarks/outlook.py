"""Time and memory of an outlook for the whole graph: `python -m benchmarks.outlook [NAME] [MODEL]`.

Asks for the 100 most probable events of the next time step with the command that a user would run: cold, with nothing
in the cache, and warm, with the memory that the first run stored. Kernels are compiled before. Without MODEL, one is
fitted.
"""

import os
import sys
import tempfile

from benchmarks.models import DATA, run


def main() -> None:
    """Measure a cold and a warm command."""
    name = sys.argv[1] if len(sys.argv) > 1 else "icews18"
    data = str(DATA / name)
    with tempfile.TemporaryDirectory() as folder:
        model = sys.argv[2] if len(sys.argv) > 2 else f"{folder}/{name}.model"
        if len(sys.argv) <= 2:
            run("fit", data, "--out", model)
        outlook = ("outlook", data, "--model", model, "--top", "100", "--json")
        run(*outlook)
        os.environ["TLOGIC_CACHE"] = f"{folder}/cache"
        for state in ("cold", "warm"):
            ratio, peak, _ = run(*outlook)
            print(f"{name}, whole graph, {state}: {ratio:.1f} times the reference, peak {peak:,.0f} MB")


if __name__ == "__main__":
    main()
