"""The sample world, brought to life: a seeded simulator that writes the news of an invented coast.

Each day the actors go on with their stories and follow their habits, each planted rule looks at what has
come true and plans the facts that follow from it, and the wire service garbles a report or two.
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

MIN_DAYS = 10  # so that train, validation and test have a day each
GARBLED_DAILY = 0.5
LONGEST_PAUSE = 2  # days between two atoms of a story
LONGEST_WAIT = 2  # days until the head follows
SCHEMA = {"subject": pl.String, "relation": pl.String, "object": pl.String, "date": pl.Date}

Names = tuple[str, ...]
Chain = tuple[str, ...]


class Fact(NamedTuple):
    """What one actor did to another; the day is where the fact is kept."""

    subject: str
    relation: str
    object: str

    @classmethod
    def of_atom(cls, relation: str, start: str, end: str) -> "Fact":
        """The fact behind the atom relation(start, end), whose relation may be an inverse one."""
        if relation.endswith(INVERSE):
            return cls(end, relation.removesuffix(INVERSE), start)
        return cls(start, relation, end)

    def link(self, relation: str) -> tuple[str, str] | None:
        """The start and end of the edge this fact makes of a relation, which may be an inverse one.

        >>> Fact("Eskar", "visit", "Dalmere").link("visit^-1")
        ('Dalmere', 'Eskar')
        """
        if self.relation != relation.removesuffix(INVERSE):
            return None
        return (self.object, self.subject) if relation.endswith(INVERSE) else (self.subject, self.object)


class RuleAtWork:
    """A planted rule that watches the days go by and says which heads follow.

    Facts arrive in the order of time, so whatever extends a chain of actors is not earlier than the chain:
    remembering the chains, without dates, is enough for T1 <= ... <= Tl.
    """

    def __init__(self, rule: PlantedRule) -> None:
        self._rule = rule
        self._chains: defaultdict[tuple[int, str], dict[Chain, None]] = defaultdict(dict)
        self._follows: dict[tuple[str, str], bool] = {}

    def heads_due(self, today: list[Fact]) -> list[Fact]:
        """The heads that follow from the bodies which today's facts complete."""
        grown: list[Chain] = []
        for step, relation in enumerate(self._rule.body):
            grown = list(self._grow(step, relation, today))
            for chain in grown:
                self._chains[step + 1, chain[-1]][chain] = None
        end_pairs = dict.fromkeys((chain[0], chain[-1]) for chain in grown)
        return [Fact(first, self._rule.head, last) for first, last in end_pairs if self._head_follows(first, last)]

    def _grow(self, step: int, relation: str, today: list[Fact]) -> Iterator[Chain]:
        """The chains that today's facts of the relation extend, where the rule's pattern allows it."""
        pattern = self._rule.variables[: step + 2]
        for start, end in filter(None, (fact.link(relation) for fact in today)):
            for chain in self._chains[step, start] if step else [(start,)]:
                if pattern_of((*chain, end)) == pattern:
                    yield (*chain, end)

    def _head_follows(self, first: str, last: str) -> bool:
        """Whether this end pair is one for which the head follows: settled once, when it first comes up.

        Pairs get an exact share, not a coin toss each: in a small world luck would drown the probability.
        """
        settled, share = len(self._follows), self._rule.probability
        return self._follows.setdefault((first, last), int((settled + 1) * share) > int(settled * share))


class World:
    """The agenda of all days, filled in as time goes by."""

    def __init__(self, seed: int, days: int) -> None:
        self._random = np.random.Generator(np.random.PCG64(seed))
        # Dictionaries serve as ordered sets: the order of facts, and so every draw, is the same everywhere.
        self._agenda: list[dict[Fact, None]] = [{} for _ in range(days)]
        self._rules = [RuleAtWork(rule) for rule in PLANTED_RULES]

    def history(self) -> Iterator[list[Fact]]:
        """Live through the days; of each, yield what the news report."""
        for day, agenda in enumerate(self._agenda):
            self._begin_stories(day)
            self._follow_habits(day)
            today = list(agenda)
            self._draw_consequences(day, today)
            yield sorted({*today, *self._garbled_reports()})

    def _begin_stories(self, day: int) -> None:
        for story in STORIES:
            if day % story.every:
                continue
            for chain in story.cast:
                moment = day + self._below(story.every)
                for relation, (start, end) in zip(story.rule.body, pairwise(chain), strict=True):
                    self._plan(moment, Fact.of_atom(relation, start, end))
                    moment += self._below(LONGEST_PAUSE + 1)

    def _follow_habits(self, day: int) -> None:
        for habit in HABITS:
            for _ in range(self._about(habit.daily)):
                self._plan(day, self._fact_among(habit.subjects, (habit.relation,), habit.objects))

    def _draw_consequences(self, day: int, today: list[Fact]) -> None:
        for rule in self._rules:
            for head in rule.heads_due(today):
                self._plan(day + 1 + self._below(LONGEST_WAIT), head)

    def _garbled_reports(self) -> list[Fact]:
        """Reports of what never happened: nothing follows from them."""
        return [self._fact_among(ACTORS, RELATIONS, ACTORS) for _ in range(self._about(GARBLED_DAILY))]

    def _plan(self, day: int, fact: Fact) -> None:
        if day < len(self._agenda):
            self._agenda[day][fact] = None

    def _fact_among(self, subjects: Names, relations: Names, objects: Names) -> Fact:
        subject = self._one_of(subjects)
        others = tuple(name for name in objects if name != subject)
        return Fact(subject, self._one_of(relations), self._one_of(others))

    def _one_of(self, names: Names) -> str:
        return names[self._below(len(names))]

    def _about(self, average: float) -> int:
        """A whole number with this average: the one below it or the one above."""
        return int(average + self._random.random())

    def _below(self, limit: int) -> int:
        return int(self._random.integers(limit))


def simulate(seed: int = 7, days: int = 450) -> pl.DataFrame:
    """The news of the sample world, one fact a row, in the order of time.

    The same seed and number of days give the same facts everywhere, and more days only add to fewer.

    >>> news = simulate(days=30)
    >>> news.columns, news["date"].max()
    (['subject', 'relation', 'object', 'date'], datetime.date(2030, 1, 30))
    """
    if seed < 0 or days < MIN_DAYS:
        raise SettingsError(f"seed {seed}, days {days}: the seed must not be negative, the days at least {MIN_DAYS}")
    rows = [
        (*fact, FIRST_DAY + timedelta(days=day))
        for day, news in enumerate(World(seed, days).history())
        for fact in news
    ]
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def split_dates(days: int) -> tuple[date, date]:
    """Where validation and test begin: train on the first 80% of days, validate on 10%, test on the last 10%.

    >>> split_dates(450)
    (datetime.date(2030, 12, 27), datetime.date(2031, 2, 10))
    """
    return FIRST_DAY + timedelta(days=days * 8 // 10), FIRST_DAY + timedelta(days=days * 9 // 10)


def sample_events(seed: int = 7, days: int = 450) -> EventTable:
    """The facts of the sample world, split in time, ready to learn from.

    >>> sample = sample_events()
    >>> sample.frame.height, sample.timeline.label_of(sample.test_from)
    (11751, '2031-02-10')
    """
    valid_from, test_from = split_dates(days)
    return read_events(simulate(seed, days), valid_from=valid_from, test_from=test_from)


def write_sample(folder: Path, seed: int = 7, days: int = 450) -> None:
    """Write the sample world to a folder: train.txt, valid.txt and test.txt, and README.txt that tells of it.

    A line of the three reads subject, relation, object, YYYY-MM-DD, parted by tabs. A former sample in the
    folder is replaced; files of the same names that are no sample are left alone, with an `InputError`.

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
    _make_room(folder, list(texts))
    for name, text in texts.items():
        write_atomically(folder / name, text)


def _lines(news: pl.DataFrame) -> str:
    return "".join(f"{subject}\t{relation}\t{object_}\t{day}\n" for subject, relation, object_, day in news.rows())


def _readme(seed: int, days: int) -> str:
    rules = "\n".join(f"  {rule.probability:.2f}  {rule}" for rule in PLANTED_RULES)
    return f"{TITLE}\n\nSeed {seed}, {days} days from {FIRST_DAY}.\n\n{PROSE}\n{rules}\n"


def _make_room(folder: Path, names: list[str]) -> None:
    """Make the folder, or make sure that what would be overwritten in it is a former sample."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder}: expected a folder for the sample, found a file; give another name")
    for path in (folder / name for name in names):
        if path.exists() and not _is_of_a_sample(path):
            raise InputError(f"{path}: would be overwritten, but is no file of a sample; give another folder")
    folder.mkdir(parents=True, exist_ok=True)


def _is_of_a_sample(path: Path) -> bool:
    """Whether the file is a sample's README, or tells of this world's actors and relations alone."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return False
    return lines[:1] == [TITLE] or (bool(lines) and all(_is_news(line) for line in lines))


def _is_news(line: str) -> bool:
    subject, relation, object_, *_ = (*line.split("\t"), "", "", "")
    return subject in ACTORS and relation in RELATIONS and object_ in ACTORS
