import os

import pytest
from hypothesis import HealthCheck, settings

from tests.browser import browser  # noqa: F401 (a fixture)
from tests.datasets import dataset  # noqa: F401 (a fixture)
from tests.memories import n_added  # noqa: F401 (a fixture)
from tests.postgres import postgres  # noqa: F401 (a fixture)
from tests.py_tgb import py_tgb  # noqa: F401 (a fixture)

# Examples are the same in every run, and the first call of a kernel, which compiles it, is not held against it.
settings.register_profile("tlogic", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("tlogic")


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    """What commands keep of the data they read is not the user's."""
    os.environ["TLOGIC_CACHE"] = str(tmp_path_factory.mktemp("cache"))


# A test carries the marker of each fixture that not every machine can provide, whether it uses it directly or not.
MARKERS = {"browser": "browser", "dataset": "benchmark_data", "postgres": "postgres", "py_tgb": "py_tgb"}

# Tests that share an expensive fixture run in one process, also across modules. Other tests of a module do so too.
GROUPS = {"boosted": "models", "scorecard": "models", "model_file": "model_file"}
# Long tests without expensive fixtures; each may run in another process.
SPLIT = ("tests/test_examples.py", "tests/test_transfer.py", "src/")
# What takes longest begins first, so that all processes end at about the same time.
LONGEST_FIRST = (
    "tests/test_cluster.py",
    "tests/reproduction/test_paper_report.py",
    "models",
    "tests/models/test_models.py",
    "tests/test_documents.py",
    "tests/test_transfer.py",
    "model_file",
)


@pytest.hookimpl(tryfirst=True)  # before pytest applies `-m`
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        for fixture in MARKERS.keys() & set(getattr(item, "fixturenames", ())):
            item.add_marker(MARKERS[fixture])
        if not item.nodeid.startswith(SPLIT):
            item.add_marker(pytest.mark.xdist_group(_group_of(item)))
    if "PYTEST_XDIST_WORKER" in os.environ:
        items.sort(key=_start_order)


def _group_of(item: pytest.Item) -> str:
    """The name of the group of tests that run in one process with `--dist=loadgroup`."""
    by_fixture = {GROUPS[fixture] for fixture in GROUPS.keys() & set(getattr(item, "fixturenames", ()))}
    return min(by_fixture, default=item.nodeid.partition("::")[0])


def _start_order(item: pytest.Item) -> int:
    names = (_group_of(item), item.nodeid.partition("::")[0])
    return min((LONGEST_FIRST.index(name) for name in names if name in LONGEST_FIRST), default=len(LONGEST_FIRST))
