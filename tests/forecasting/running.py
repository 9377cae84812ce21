"""Rule application for tests: plain rules, queries and facts in, plain dictionaries out."""

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from tests.naive import Application, Query, Rule
from tests.strategies import World
from tlogic.forecasting.application import QueryBatch, Rulebook, apply_rules, new_workspace
from tlogic.forecasting.candidates import decay_table
from tlogic.forecasting.grounding.join_cache import JoinCache
from tlogic.forecasting.grounding.rule_plans import EncodedRule, plan_rules
from tlogic.forecasting.rule_groundings import ground_rules
from tlogic.forecasting.settings import UNLIMITED_GROUNDINGS

WHOLE_PAST = 1 << 40

Answer = tuple[dict[int, float], int]


class Worker:
    """One workspace that answers queries in order of time."""

    def __init__(
        self,
        world: World,
        rules: Sequence[Rule],
        how: Application,
        only_chains: bool = False,
        small_cache: bool = False,
    ) -> None:
        self.triples = world.triples()
        self.book = Rulebook(
            plan_rules([EncodedRule(*rule) for rule in rules], world.n_base, only_chains),
            how.alpha,
            decay_table(how.alpha, how.rate),
            WHOLE_PAST if math.isinf(how.window) else int(how.window),
            UNLIMITED_GROUNDINGS if math.isinf(how.limit) else int(how.limit),
            how.k,
            how.published_stop,
        )
        self.work = new_workspace(self.triples, world.n_entities, world.n_relations, self.book)
        if small_cache:
            small = _small_cache(world.n_entities, len(self.triples.target))
            self.work = self.work._replace(grounding=self.work.grounding._replace(join_cache=small))

    def ground(self, queries: Sequence[Query]) -> list[list[dict[int, int]]]:
        """Per query and rule of its relation: the age of each candidate's best grounding."""
        columns = np.array(queries, np.int64).reshape(-1, 4).T.copy()
        found = ground_rules(self.triples, self.book, self.work, QueryBatch(*columns))
        per_rule = [
            dict(zip(found.candidate[start:end].tolist(), found.age[start:end].tolist(), strict=True))
            for start, end in pairwise(found.start.tolist())
        ]
        return [per_rule[first:end] for first, end in pairwise(found.first.tolist())]

    def answer(self, queries: Sequence[Query]) -> list[Answer]:
        """Per query: the score of each candidate, and how many rules were tried."""
        columns = np.array(queries, np.int64).reshape(-1, 4).T.copy()
        scored = apply_rules(self.triples, self.book, self.work, QueryBatch(*columns))
        answers = []
        for q in range(len(queries)):
            own = slice(scored.start[q], scored.start[q + 1])
            entities, scores = scored.entity[own].tolist(), scored.score[own].tolist()
            assert len(set(entities)) == len(entities)
            answers.append((dict(zip(entities, scores, strict=True)), int(scored.n_rules[q])))
        return answers


def _small_cache(n_entities: int, n_triples: int) -> JoinCache:
    """A cache for two joins only, so that it overflows again and again."""
    return JoinCache(
        row=np.zeros((4, 8), np.int64),
        entity=np.empty(2 * n_entities, np.int32),
        time=np.empty(2 * n_entities, np.int32),
        next_slots=np.empty(max(n_triples, 1), np.int32),
        used=np.zeros(3, np.int64),
    )
