"""Random numbers are uniform, and every key has an independent stream."""

from collections import Counter
from itertools import product

import numpy as np
import pytest
from scipy.stats import kstest

from tests.learning.sampling import p_value
from tlogic.learning.random_streams import advance, below, keyed, unit

SIGNIFICANCE = 1e-4
N_DRAWS = 10_000


def stream_of(*keys: int) -> np.uint64:
    """The stream of some keys, ready for its first draw; kernels return plain integers."""
    stream = np.uint64(0)
    for key in keys:
        stream = np.uint64(keyed(stream, key))
    return np.uint64(advance(stream))


def test_draws_along_a_stream_are_uniform() -> None:
    stream = stream_of(42)
    draws = []
    for _ in range(N_DRAWS):
        draws.append(unit(stream))
        stream = np.uint64(advance(stream))
    assert 0.0 <= min(draws) < max(draws) < 1.0
    assert kstest(draws, "uniform").pvalue > SIGNIFICANCE
    assert abs(np.corrcoef(draws[:-1], draws[1:])[0, 1]) < 4 / np.sqrt(N_DRAWS)


def test_first_draws_of_neighbouring_streams_are_uniform_and_unrelated() -> None:
    """Walks are keyed 0, 1, 2 ...: the first draws of such streams must be as random as the draws of one stream."""
    draws = [unit(stream_of(7, key)) for key in range(N_DRAWS)]
    assert kstest(draws, "uniform").pvalue > SIGNIFICANCE
    assert abs(np.corrcoef(draws[:-1], draws[1:])[0, 1]) < 4 / np.sqrt(N_DRAWS)


@pytest.mark.parametrize("n", [1, 2, 3, 10, 97])
def test_below_is_uniform(n: int) -> None:
    draws = Counter(below(stream_of(3, key), n) for key in range(N_DRAWS))
    assert p_value(draws, dict.fromkeys(range(n), 1 / n)) > SIGNIFICANCE


def test_below_stays_below_for_large_numbers() -> None:
    n = 1 << 40
    draws = [below(stream_of(3, key), n) for key in range(N_DRAWS)]
    assert 0 <= min(draws) < max(draws) < n
    assert len(set(draws)) == N_DRAWS


def test_every_key_has_its_own_stream() -> None:
    """Seed, relation, length and walk number, in this order, all change the stream."""
    keys = list(product(range(10), range(10), range(1, 4), range(10)))
    assert len({int(stream_of(*key)) for key in keys}) == len(keys)
