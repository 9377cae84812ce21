"""Generated facts of any number, with heavy-tailed degrees and recurring pairs."""

import numpy as np
import polars as pl

RELATIONS = 100
STEPS = 300


def generate(n_facts: int, seed: int = 1) -> pl.DataFrame:
    """Draw facts with Zipf-like weights; two thirds of them repeat an earlier pair of entities."""
    generator = np.random.default_rng(seed)
    n_entities = n_facts // 20
    n_fresh = n_facts // 3
    subject, target = (_skewed(generator, n_entities, n_fresh) for _ in range(2))
    pair = np.concatenate([np.arange(n_fresh), _skewed(generator, n_fresh, n_facts - n_fresh)])
    return pl.DataFrame(
        {
            "subject": [f"entity {i}" for i in subject[pair]],
            "relation": [f"relation {i}" for i in _skewed(generator, RELATIONS, n_facts)],
            "object": [f"entity {i}" for i in target[pair]],
            "time": generator.integers(0, STEPS, n_facts),
        }
    )


def _skewed(generator: np.random.Generator, n: int, size: int) -> np.ndarray:
    weights = 1 / np.arange(1, n + 1) ** 0.8
    return generator.choice(n, size, p=weights / weights.sum())
