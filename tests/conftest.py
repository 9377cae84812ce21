import os

import pytest
from hypothesis import HealthCheck, settings

from tests.browser import browser  # noqa: F401 (a fixture)
from tests.datasets import dataset  # noqa: F401 (a fixture)
from tests.postgres import postgres  # noqa: F401 (a fixture)

# Examples are the same in every run, and the first call of a kernel, which compiles it, is not held against it.
settings.register_profile("tlogic", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("tlogic")


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    """What commands keep of the data they read is not the user's."""
    os.environ["TLOGIC_CACHE"] = str(tmp_path_factory.mktemp("cache"))


# A test carries the marker of each fixture that not every machine can provide, whether it uses it directly or not.
MARKERS = {"browser": "browser", "dataset": "benchmark_data", "postgres": "postgres"}


@pytest.hookimpl(tryfirst=True)  # before pytest applies `-m`
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        for fixture in MARKERS.keys() & set(getattr(item, "fixturenames", ())):
            item.add_marker(MARKERS[fixture])
