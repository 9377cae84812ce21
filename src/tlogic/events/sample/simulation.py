"""A seeded simulator of the sample world.

Each day, actors continue their stories and follow their habits. Each planted rule checks which bodies are complete and
schedules the heads that follow. Some random false facts are added as noise.
"""

from collections import defaultdict
from collections.abc import Iterator
from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from tlogic.errors import InputError, SettingsError
from tlogic.events.event_table import EventTable
from tlogic.events.reading import read_events
from tlogic.events.sample.world import (
    ACTORS,
    FIRST_DAY,
    HABITS,
    INVERSE,
    PLANTED_RULES,
    PROSE,
    RELATIONS,
    STORIES,
    TITLE,
    PlantedRule,
)
from tlogic.files import write_atomically
from tlogic.names import pattern_of

__all__ = ["PLANTED_RULES", "PlantedRule", "sample_events", "simulate", "write_sample"]

MIN_DAYS = 10  # so that training, validation and test have at least one day each
NOISE_FACTS_PER_DAY = 0.5
MAX_ATOM_DELAY_DAYS = 2  # between two atoms of a story
MAX_HEAD_DELAY_DAYS = 2  # from a body to its head
SCHEMA = {"subject": pl.String, "relation": pl.String, "object": pl.String, "date": pl.Date}

Names = tuple[str, ...]
Chain = tuple[str, ...]


class Fact(NamedTuple):
    """A fact without its day."""

    subject: str
    relation: str
    object: str

    @classmethod
    def of_atom(cls, relation: str, start: str, end: str) -> "Fact":
        """The fact of the atom relation(start, end), whose relation may be inverse."""
        if relation.endswith(INVERSE):
            return cls(end, relation.removesuffix(INVERSE), start)
        return cls(start, relation, end)

    def link(self, relation: str) -> tuple[str, str] | None:
        """The start and end of the edge of this fact for a relation, which may be inverse; else None.

        >>> Fact("Eskar", "visit", "Dalmere").link("visit^-1")
        ('Dalmere', 'Eskar')
        """
        if self.relation != relation.removesuffix(INVERSE):
            return None
        return (self.object, self.subject) if relation.endswith(INVERSE) else (self.subject, self.object)


class RuleSimulator:
    """Applies a planted rule day by day and gives the heads that follow.

    Facts arrive in order of time, so a fact that extends a chain of actors is never earlier than the chain. Storing the
    chains without dates therefore ensures T1 <= ... <= Tl.
    """

    def __init__(self, rule: PlantedRule) -> None:
        self._rule = rule
        self._chains: defaultdict[tuple[int, str], dict[Chain, None]] = defaultdict(dict)
        self._follows: dict[tuple[str, str], bool] = {}

    def heads_due(self, today: list[Fact]) -> list[Fact]:
        """The heads that follow from the bodies which today's facts complete."""
        grown: list[Chain] = []
        for length, relation in enumerate(self._rule.body):
            grown = list(self._grow(length, relation, today))
            for chain in grown:
                self._chains[length + 1, chain[-1]][chain] = None
        end_pairs = dict.fromkeys((chain[0], chain[-1]) for chain in grown)
        return [Fact(first, self._rule.head, last) for first, last in end_pairs if self._head_follows(first, last)]

    def _grow(self, length: int, relation: str, today: list[Fact]) -> Iterator[Chain]:
        """The chains extended by today's facts of the relation that match the variables of the rule."""
        pattern = self._rule.variables[: length + 2]
        for start, end in filter(None, (fact.link(relation) for fact in today)):
            for chain in self._chains[length, start] if length else [(start,)]:
                if pattern_of((*chain, end)) == pattern:
                    yield (*chain, end)

    def _head_follows(self, first: str, last: str) -> bool:
        """Whether the head follows for this end pair, decided when the pair first occurs.

        An exact share of pairs is chosen instead of random pairs: in a small world the observed share would vary too
        much.
        """
        decided, share = len(self._follows), self._rule.probability
        return self._follows.setdefault((first, last), int((decided + 1) * share) > int(decided * share))


class World:
    """The scheduled facts of all days, filled in day by day."""

    def __init__(self, seed: int, days: int) -> None:
        self._random = np.random.Generator(np.random.PCG64(seed))
        # Dictionaries are used as ordered sets, so that the order of facts and all random draws are reproducible.
        self._schedule: list[dict[Fact, None]] = [{} for _ in range(days)]
        self._rules = [RuleSimulator(rule) for rule in PLANTED_RULES]

    def history(self) -> Iterator[list[Fact]]:
        """Simulate all days; yield the facts of each."""
        for day, scheduled in enumerate(self._schedule):
            self._begin_stories(day)
            self._follow_habits(day)
            today = list(scheduled)
            self._schedule_heads(day, today)
            yield sorted({*today, *self._noise()})

    def _begin_stories(self, day: int) -> None:
        for story in STORIES:
            if day % story.every:
                continue
            for chain in story.cast:
                start_day = day + self._below(story.every)
                for relation, (start, end) in zip(story.rule.body, pairwise(chain), strict=True):
                    self._plan(start_day, Fact.of_atom(relation, start, end))
                    start_day += self._below(MAX_ATOM_DELAY_DAYS + 1)

    def _follow_habits(self, day: int) -> None:
        for habit in HABITS:
            for _ in range(self._about(habit.daily)):
                self._plan(day, self._fact_among(habit.subjects, (habit.relation,), habit.objects))

    def _schedule_heads(self, day: int, today: list[Fact]) -> None:
        for rule in self._rules:
            for head in rule.heads_due(today):
                self._plan(day + 1 + self._below(MAX_HEAD_DELAY_DAYS), head)

    def _noise(self) -> list[Fact]:
        """False facts, from which nothing follows."""
        return [self._fact_among(ACTORS, RELATIONS, ACTORS) for _ in range(self._about(NOISE_FACTS_PER_DAY))]

    def _plan(self, day: int, fact: Fact) -> None:
        if day < len(self._schedule):
            self._schedule[day][fact] = None

    def _fact_among(self, subjects: Names, relations: Names, objects: Names) -> Fact:
        subject = self._one_of(subjects)
        others = tuple(name for name in objects if name != subject)
        return Fact(subject, self._one_of(relations), self._one_of(others))

    def _one_of(self, names: Names) -> str:
        return names[self._below(len(names))]

    def _about(self, average: float) -> int:
        """A random integer with this average: the integer below or above it."""
        return int(average + self._random.random())

    def _below(self, limit: int) -> int:
        return int(self._random.integers(limit))


def simulate(seed: int = 7, days: int = 450) -> pl.DataFrame:
    """Simulate the sample world; one fact per row, in order of time.

    Equal seeds and days give equal facts on all machines. More days only append facts.

    >>> news = simulate(days=30)
    >>> news.columns, news["date"].max()
    (['subject', 'relation', 'object', 'date'], datetime.date(2030, 1, 30))
    """
    if seed < 0 or days < MIN_DAYS:
        raise SettingsError(f"seed {seed}, days {days}: the seed must be 0 or more and the days {MIN_DAYS} or more.")
    rows = [
        (*fact, FIRST_DAY + timedelta(days=day))
        for day, news in enumerate(World(seed, days).history())
        for fact in news
    ]
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def split_dates(days: int) -> tuple[date, date]:
    """The first days of validation and test: training has 80% of the days, validation and test 10% each.

    >>> split_dates(450)
    (datetime.date(2030, 12, 27), datetime.date(2031, 2, 10))
    """
    return FIRST_DAY + timedelta(days=days * 8 // 10), FIRST_DAY + timedelta(days=days * 9 // 10)


def sample_events(seed: int = 7, days: int = 450) -> EventTable:
    """The facts of the sample world, split into training, validation and test.

    >>> sample = sample_events()
    >>> sample.frame.height, sample.timeline.label_of(sample.test_from)
    (11751, '2031-02-10')
    """
    valid_from, test_from = split_dates(days)
    return read_events(simulate(seed, days), valid_from=valid_from, test_from=test_from)


def write_sample(folder: Path, seed: int = 7, days: int = 450) -> None:
    """Write the sample world to a folder: train.txt, valid.txt, test.txt and README.txt.

    Each line of the first three has subject, relation, object and YYYY-MM-DD, separated by tabs. An earlier sample in
    the folder is replaced. Raises an `InputError` if other files would be overwritten.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_sample(Path(folder))
    ...     print(*sorted(path.name for path in Path(folder).iterdir()))
    README.txt test.txt train.txt valid.txt
    """
    news = simulate(seed, days)
    valid_from, test_from = split_dates(days)
    when = pl.col("date")
    texts = {
        "README.txt": _readme(seed, days),
        "train.txt": _lines(news.filter(when < valid_from)),
        "valid.txt": _lines(news.filter(when >= valid_from, when < test_from)),
        "test.txt": _lines(news.filter(when >= test_from)),
    }
    _prepare_folder(folder, list(texts))
    for name, text in texts.items():
        write_atomically(folder / name, text)


def _lines(news: pl.DataFrame) -> str:
    return "".join(f"{subject}\t{relation}\t{object_}\t{day}\n" for subject, relation, object_, day in news.rows())


def _readme(seed: int, days: int) -> str:
    rules = "\n".join(f"  {rule.probability:.2f}  {rule}" for rule in PLANTED_RULES)
    return f"{TITLE}\n\nSeed {seed}, {days} days from {FIRST_DAY}.\n\n{PROSE}\n{rules}\n"


def _prepare_folder(folder: Path, names: list[str]) -> None:
    """Create the folder, or check that only an earlier sample would be overwritten in it."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder}: expected a folder for the sample, found a file; give another name.")
    for path in (folder / name for name in names):
        if path.exists() and not _is_sample_file(path):
            raise InputError(f"{path} would be overwritten, but is not part of a sample; give another folder.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"Cannot create the folder {folder}: {error.strerror or error}.") from None


def _is_sample_file(path: Path) -> bool:
    """Whether the file is the README of a sample, or has only actors and relations of the sample world."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return False
    return lines[:1] == [TITLE] or (bool(lines) and all(_is_news(line) for line in lines))


def _is_news(line: str) -> bool:
    subject, relation, object_, *_ = (*line.split("\t"), "", "", "")
    return subject in ACTORS and relation in RELATIONS and object_ in ACTORS
