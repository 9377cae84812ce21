"""The sample world: the same everywhere, well-formed, and obedient to its planted rules.

Confidences and walks are computed here with plain loops, from the paper's definitions.
"""

import hashlib
import math
import random
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import chain
from pathlib import Path
from statistics import fmean

import polars as pl
import pytest

from tlogic.errors import InputError, SettingsError
from tlogic.events import read_events
from tlogic.events.sample.simulation import PLANTED_RULES, PlantedRule, sample_events, simulate, write_sample
from tlogic.events.sample.world import ACTORS, RELATIONS, STORIES, Story

NAMES = ["README.txt", "test.txt", "train.txt", "valid.txt"]
TRAINING_DAYS = 360

Edge = tuple[str, str, str, int]


class Graph:
    """The training period, with inverse edges, in dictionaries."""

    def __init__(self, seed: int) -> None:
        rows = simulate(seed).rows()
        first = rows[0][3]
        facts: list[Edge] = [(s, r, o, (day - first).days) for s, r, o, day in rows]
        training = [fact for fact in facts if fact[3] < TRAINING_DAYS]
        self.of_relation: dict[str, list[Edge]] = defaultdict(list)
        self.leaving: dict[str, list[Edge]] = defaultdict(list)
        self.leaving_by: dict[tuple[str, str], list[Edge]] = defaultdict(list)
        self.last_day: dict[tuple[str, str, str], int] = defaultdict(lambda: -1)
        for edge in training + [(o, inverse(r), s, t) for s, r, o, t in training]:
            s, r, o, t = edge
            self.of_relation[r].append(edge)
            self.leaving[s].append(edge)
            self.leaving_by[s, r].append(edge)
            self.last_day[s, r, o] = max(t, self.last_day[s, r, o])

    def next_edges(self, body: list[Edge], relation: str) -> list[Edge]:
        *_, end, t = body[-1]
        return [edge for edge in self.leaving_by[end, relation] if edge[3] >= t]

    def head_follows(self, rule: PlantedRule, body: list[Edge]) -> bool:
        return self.last_day[body[0][0], rule.head, body[-1][2]] > body[-1][3]


@cache
def training_graph(seed: int = 7) -> Graph:
    return Graph(seed)


def inverse(relation: str) -> str:
    return relation.removesuffix("^-1") if relation.endswith("^-1") else f"{relation}^-1"


def pattern(entities: list[str]) -> tuple[int, ...]:
    return tuple(list(dict.fromkeys(entities)).index(entity) for entity in entities)


def is_accepted(rule: PlantedRule, body: list[Edge]) -> bool:
    """A rule with repeated variables demands that pattern, so far as the body goes; others take any."""
    repeats = len(set(rule.variables)) < len(rule.variables)
    actors = [body[0][0], *(edge[2] for edge in body)]
    return not repeats or pattern(actors) == rule.variables[: len(actors)]


def all_bodies(graph: Graph, rule: PlantedRule) -> Iterator[list[Edge]]:
    beginnings = [[edge] for edge in graph.of_relation[rule.body[0]]]
    while beginnings:
        body = beginnings.pop()
        if not is_accepted(rule, body):
            continue
        if len(body) == len(rule.body):
            yield body
        else:
            beginnings += [[*body, edge] for edge in graph.next_edges(body, rule.body[len(body)])]


def exact_confidence(graph: Graph, rule: PlantedRule) -> float:
    return fmean(graph.head_follows(rule, body) for body in all_bodies(graph, rule))


def sampled_bodies(graph: Graph, rule: PlantedRule, dice: random.Random) -> list[list[Edge]]:
    """The distinct bodies among 500 samples."""
    bodies: dict[tuple[Edge, ...], None] = {}
    for _ in range(500):
        body = [dice.choice(graph.of_relation[rule.body[0]])]
        for relation in rule.body[1:]:
            if feasible := graph.next_edges(body, relation):
                body.append(dice.choice(feasible))
        if len(body) == len(rule.body) and is_accepted(rule, body):
            bodies[tuple(body)] = None
    return [list(body) for body in bodies]


def walk_backwards(graph: Graph, rule: PlantedRule, dice: random.Random) -> list[Edge]:
    """One temporal walk from a head edge, exponentially weighted; shorter than asked where it got stuck."""
    walk = [dice.choice(graph.of_relation[rule.head])]
    goal = walk[0][0]
    for step in range(1, len(rule.body) + 1):
        s, r, o, t = walk[-1]
        latest = t - 1 if step == 1 else t
        feasible = [
            edge
            for edge in graph.leaving[o]
            if edge[3] <= latest
            and (step == 1 or edge != (o, inverse(r), s, t))
            and (step < len(rule.body) or edge[2] == goal)
        ]
        if not feasible:
            break
        walk.append(dice.choices(feasible, [math.exp(edge[3] - latest) for edge in feasible])[0])
    return walk


def finds(rule: PlantedRule, walk: list[Edge]) -> bool:
    backwards = walk[:0:-1]
    relations = tuple(inverse(edge[1]) for edge in backwards)
    entities = [edge[2] for edge in backwards] + [walk[0][2]]
    return relations == rule.body and pattern(entities) == rule.variables


def digest(folder: Path) -> str:
    return hashlib.sha256(b"".join((folder / name).read_bytes() for name in NAMES)).hexdigest()


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


# The facts


def test_the_same_bytes_everywhere(tmp_path: Path) -> None:
    write_sample(tmp_path / "sample")
    assert digest(tmp_path / "sample") == "102f6afce52de7abd2c4b878de40bd0c12fab6e631fb11d27f55aaa4db09f31d"


def test_seeds_differ_and_days_only_add() -> None:
    assert not simulate(7, 60).equals(simulate(8, 60))
    longer = simulate(7, 100)
    shorter = simulate(7, 60)
    assert longer.head(shorter.height).equals(shorter)


@pytest.mark.parametrize("seed", [7, 8])
def test_well_formed(seed: int) -> None:
    news = simulate(seed)
    assert 8_000 < news.height < 15_000
    assert news.is_duplicated().sum() == 0
    assert news.filter(pl.col("subject") == pl.col("object")).is_empty()
    assert news["date"].is_sorted()
    assert news["date"].n_unique() == 450
    assert set(news["subject"]) | set(news["object"]) == set(ACTORS)
    assert set(news["relation"]) == set(RELATIONS)


@pytest.mark.parametrize(("seed", "days"), [(-1, 450), (7, 9)])
def test_settings_out_of_range(seed: int, days: int) -> None:
    with pytest.raises(SettingsError, match="10 or more"):
        simulate(seed, days)


def test_actors_are_not_too_busy_for_walks() -> None:
    assert max(len(edges) for edges in training_graph().leaving.values()) / TRAINING_DAYS < 2


# The planted rules


def test_kinds_of_planted_rules() -> None:
    patterns = [rule.variables for rule in PLANTED_RULES]
    assert sorted(patterns) == sorted([(0, 1)] * 3 + [(0, 1, 2)] * 2 + [(0, 1, 0, 1), (0, 1, 0, 2), (0, 1, 2, 3)])
    assert any(relation.endswith("^-1") for rule in PLANTED_RULES for relation in rule.body)
    assert len({rule.head for rule in PLANTED_RULES}) == len(PLANTED_RULES)


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.rule.head)
def test_casts_fit_their_rules(story: Story) -> None:
    assert {pattern(list(actors)) for actors in story.cast} == {story.rule.variables}


@pytest.mark.parametrize("rule", PLANTED_RULES, ids=lambda rule: rule.head)
@pytest.mark.parametrize(("seed", "tolerance"), [(7, 0.03), (1, 0.06), (2, 0.06)])
def test_exact_confidence_is_the_planted_one(rule: PlantedRule, seed: int, tolerance: float) -> None:
    assert exact_confidence(training_graph(seed), rule) == pytest.approx(rule.probability, abs=tolerance)


@pytest.mark.parametrize("rule", PLANTED_RULES, ids=lambda rule: rule.head)
def test_sampled_confidence_is_the_planted_one(rule: PlantedRule) -> None:
    graph = training_graph()
    samples = [sampled_bodies(graph, rule, random.Random(seed)) for seed in range(5)]
    confidences = [fmean(graph.head_follows(rule, body) for body in bodies) for bodies in samples]
    assert min(map(len, samples)) >= 30
    assert fmean(confidences) == pytest.approx(rule.probability, abs=0.06)


@pytest.mark.parametrize("rule", PLANTED_RULES, ids=lambda rule: rule.head)
def test_walks_find_the_rule(rule: PlantedRule) -> None:
    dice = random.Random(0)
    found = sum(finds(rule, walk_backwards(training_graph(), rule, dice)) for _ in range(200))
    assert found >= 5


# The files


def test_files(tmp_path: Path) -> None:
    write_sample(tmp_path)
    assert sorted(files(tmp_path)) == NAMES
    facts = [(tmp_path / f"{part}.txt").read_text("utf-8").splitlines() for part in ("train", "valid", "test")]
    assert list(chain.from_iterable(facts)) == ["\t".join(map(str, row)) for row in simulate().rows()]
    spans = [(lines[0][-10:], lines[-1][-10:]) for lines in facts]
    assert spans == [("2030-01-01", "2030-12-26"), ("2030-12-27", "2031-02-09"), ("2031-02-10", "2031-03-26")]
    readme = (tmp_path / "README.txt").read_text("utf-8")
    assert all(f"{rule.probability:.2f}  {rule}" in readme for rule in PLANTED_RULES)


def test_events_are_those_of_the_files(tmp_path: Path) -> None:
    write_sample(tmp_path)
    events, read = sample_events(), read_events(tmp_path)
    assert events.frame.equals(read.frame)
    assert events.timeline == read.timeline
    assert (events.valid_from, events.test_from) == (read.valid_from, read.test_from) == (TRAINING_DAYS, 405)


def test_shortest_sample_has_all_parts(tmp_path: Path) -> None:
    write_sample(tmp_path, days=10)
    assert all(files(tmp_path).values())


def test_a_former_sample_is_replaced_and_other_files_stay(tmp_path: Path) -> None:
    write_sample(tmp_path, seed=1, days=20)
    (tmp_path / "notes.txt").write_text("mine")
    write_sample(tmp_path, seed=2, days=30)
    write_sample(tmp_path / "fresh", seed=2, days=30)
    assert digest(tmp_path) == digest(tmp_path / "fresh")
    assert (tmp_path / "notes.txt").read_text() == "mine"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "content", [b"", b"Germany\tvisit\tFrance\t2014-01-01\n", b"Eskar\tvisit\n", b"1\t2\t3\t0\n", b"\xff\xfe"]
)
def test_files_of_others_are_not_overwritten(tmp_path: Path, name: str, content: bytes) -> None:
    write_sample(tmp_path, days=10)
    (tmp_path / name).write_bytes(content)
    before = files(tmp_path)
    with pytest.raises(InputError, match=name):
        write_sample(tmp_path, seed=8, days=10)
    assert files(tmp_path) == before


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "sample").write_text("mine")
    with pytest.raises(InputError, match="found a file"):
        write_sample(tmp_path / "sample", days=10)


def test_a_failed_write_leaves_the_former_file_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_sample(tmp_path, days=10)
    before = files(tmp_path)

    def fail(path: Path, content: bytes) -> int:
        with path.open("wb") as file:
            file.write(content[:5])
        raise OSError("disk full")

    monkeypatch.setattr(Path, "write_bytes", fail)
    with pytest.raises(InputError, match="disk full"):
        write_sample(tmp_path, seed=8, days=10)
    assert files(tmp_path) == before
