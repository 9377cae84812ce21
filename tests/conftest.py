from hypothesis import HealthCheck, settings

from tests.postgres import postgres  # noqa: F401 (a fixture)

# Examples are the same in every run, and the first call of a kernel, which compiles it, is not held against it.
settings.register_profile("tlogic", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("tlogic")
