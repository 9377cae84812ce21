import os

import pytest
from hypothesis import HealthCheck, settings

from tests.browser import browser  # noqa: F401 (a fixture)
from tests.postgres import postgres  # noqa: F401 (a fixture)

# Examples are the same in every run, and the first call of a kernel, which compiles it, is not held against it.
settings.register_profile("tlogic", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("tlogic")


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    """What commands keep of the data they read is not the user's."""
    os.environ["TLOGIC_CACHE"] = str(tmp_path_factory.mktemp("cache"))
