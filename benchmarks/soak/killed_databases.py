"""A PostgreSQL server that is killed while two threads write to it."""

from tests.serving.test_store_faults import interrupt_server, kill_server

from benchmarks.soak.killed_writers import emptied, postgres_server
from benchmarks.soak.record import Budget, Record

PROMISE = "No acknowledged batch is lost, doubled or stored in part when the PostgreSQL server is killed."
_KILLS_PER_ROUND = 5


def measure(budget: Budget) -> Record:
    """Kill all processes of the server, start it again, and compare what is stored with what was acknowledged."""
    kills = batches = failures = 0
    try:
        with postgres_server() as server:
            stores = emptied(server.get_uri())
            for _ in budget.rounds():
                next(stores)
                try:
                    batches += interrupt_server(server, lambda: kill_server(server), _KILLS_PER_ROUND)
                except AssertionError:
                    failures += 1
                kills += _KILLS_PER_ROUND
    except ImportError as error:
        return Record(PROMISE, "not measured", note=f"{error}")
    return Record(PROMISE, f"{kills:,} kills (SIGKILL), {batches:,} batches acknowledged", failures)
