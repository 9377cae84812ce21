"""A generated graph with heavy-tailed degrees and recurring pairs, in any size."""

import numpy as np
import polars as pl

RELATIONS = 100
STEPS = 300


def generate(n_facts: int, seed: int = 1) -> pl.DataFrame:
    """Facts between entities and relations drawn by Zipf-like weights; two thirds of them repeat an earlier pair."""
    draw = np.random.default_rng(seed)
    n_entities = n_facts // 20
    n_fresh = n_facts // 3
    subject, target = (_skewed(draw, n_entities, n_fresh) for _ in range(2))
    pair = np.concatenate([np.arange(n_fresh), _skewed(draw, n_fresh, n_facts - n_fresh)])
    return pl.DataFrame(
        {
            "subject": [f"entity {i}" for i in subject[pair]],
            "relation": [f"relation {i}" for i in _skewed(draw, RELATIONS, n_facts)],
            "object": [f"entity {i}" for i in target[pair]],
            "time": draw.integers(0, STEPS, n_facts),
        }
    )


def _skewed(draw: np.random.Generator, n: int, size: int) -> np.ndarray:
    weights = 1 / np.arange(1, n + 1) ** 0.8
    return draw.choice(n, size, p=weights / weights.sum())
