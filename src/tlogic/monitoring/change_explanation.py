"""ChangeExplanation: the events behind a change, in words."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from tlogic.evidence.statements import how_often, rare
from tlogic.names import noun_for

_QUESTIONS = {
    "entity": "What changed for {}?",
    "pair": "What changed between {} and {}?",
    "relation": 'What changed in "{}" events?',
}


class ChangedTriple(NamedTuple):
    """An event of a changed entity, pair or relation, and how often or how likely it was before and is now.

    Attributes:
        subject: The name of the subject.
        relation: The name of the relation.
        object: The name of the object.
        events_before: How often it happened in the period before.
        events_after: How often it happened in the period of interest.
        before: Its events per time step in the period before.
        after: Its events per time step in the period of interest.
        first: The date of its first event in the period of interest; None if there is none.
        latest: The date of its latest event, in that period or before; None if it never happened.
        probability_before: The probability of at least one such event within the horizon, from the first date of the
            period of interest on; None without a model, or if an outlook of that date does not consider the event.
        probability_after: The same from the time step after the period on.
        movement: What it did, in short: "new", "none since" or "× 2.50" for how often it happened, "up" or "down" for
            its probability.
        sentence: The same in words, with dates.

    Example:
        >>> calls = ChangedTriple("Ann", "calls", "Bo", 0, 1, 0.0, 0.1, "2030-01-04", "2030-01-04")
        >>> calls.latest
        '2030-01-04'
    """

    subject: str
    relation: str
    object: str
    events_before: int
    events_after: int
    before: float
    after: float
    first: str | None
    latest: str | None
    probability_before: float | None = None
    probability_after: float | None = None
    movement: str = ""
    sentence: str = ""

    def __str__(self) -> str:
        return f"{self.subject} — {self.relation} → {self.object}"


@dataclass(frozen=True, repr=False)
class ChangeExplanation:
    """What changed for an entity, for a pair or in a relation: the events whose rate or probability moved most.

    ``Changes.explain`` makes it.

    Attributes:
        kind: "entity", "pair" or "relation".
        name: The name of the entity or the relation, or of the first entity of the pair.
        other: The name of the second entity of the pair; None if it is no pair.
        summary: How many events there were in both periods.
        triples: The events whose number per time step moved most: first those that moved as the change did, then those
            that moved against it, each with the largest difference first.
        n_triples: How many events have another number per time step than before.
        probability_summary: The probability of at least one event before and now; None without a model.
        likely: The events whose probability moved most, in the same order; none without a model.
        n_likely: How many events have another probability than before.

    Example:
        >>> import tlogic
        >>> found = tlogic.changes(tlogic.sample(), since="2031-03-01", top=1)
        >>> print(found.explain(0).text(1))
        What changed for Grain Reserve Board?
        5 events in 26 days from 2031-03-01 on, after 79 in 104 days before: × 0.25 per day. Most of all:
          none since  Acorn Savings — reply_to → Grain Reserve Board: 3 times before, the latest on 2031-02-16
          and 41 other events
    """

    kind: str
    name: str
    other: str | None
    summary: str
    triples: tuple[ChangedTriple, ...]
    n_triples: int
    probability_summary: str | None = None
    likely: tuple[ChangedTriple, ...] = ()
    n_likely: int = 0

    def __repr__(self) -> str:
        names = self.name if self.other is None else f"{self.name} and {self.other}"
        return f"ChangeExplanation({self.kind} {names}: {self.n_triples:,} events changed)"

    def __str__(self) -> str:
        return self.text()

    def text(self, n_reasons: int | None = None) -> str:
        """The explanation as text, with the events that changed most, or with all it holds (None)."""
        return "\n".join(self._lines(n_reasons))

    def to_dict(self) -> dict[str, Any]:
        """The whole explanation, for JSON."""
        return {
            "kind": self.kind,
            "name": self.name,
            "with": self.other,
            "summary": self.summary,
            "triples": [each._asdict() for each in self.triples],
            "triples_in_all": self.n_triples,
            "probability_summary": self.probability_summary,
            "likely": [each._asdict() for each in self.likely],
            "likely_in_all": self.n_likely,
        }

    def _lines(self, n_reasons: int | None) -> Iterator[str]:
        yield _QUESTIONS[self.kind].format(self.name, self.other)
        yield from _part(self.summary, self.triples[:n_reasons], self.n_triples)
        if self.probability_summary is not None:
            yield from _part(self.probability_summary, self.likely[:n_reasons], self.n_likely)


def _part(summary: str, shown: tuple[ChangedTriple, ...], n_triples: int) -> Iterator[str]:
    """A summary, and below it the events behind it."""
    yield f"{summary} Most of all:" if shown else summary
    for each in shown:
        yield f"  {each.movement:<10}  {each}: {each.sentence}"
    rest = n_triples - len(shown)
    if shown and rest:
        yield f"  and {rest:,} other {noun_for(rest, 'event')}"


def factor_text(before: float, after: float) -> str:
    """How many times as many events there are as before, from the events per time step.

    >>> factor_text(0.5, 0.25), factor_text(0.0, 1.0), factor_text(1.0, 0.0), factor_text(1.0, 0.004)
    ('× 0.50', 'new', 'none', '× <0.01')
    """
    if not after:
        return "none"
    if not before:
        return "new"
    return f"× {after / before:.2f}" if after / before >= 0.005 else "× <0.01"


def summary_of(events: tuple[int, int], spans: tuple[str, str], since: str, factor: str) -> str:
    """How many events there were in the period of interest, and in the one before.

    Args:
        events: The number of events before and in the period of interest.
        spans: The lengths of both periods.
        since: The first date of the period of interest.
        factor: How many times as many events there were, per time step.

    >>> summary_of((12, 1), ("40 days", "10 days"), "2030-05-01", "× 0.33 per day")
    '1 event in 10 days from 2030-05-01 on, after 12 in 40 days before: × 0.33 per day.'
    >>> summary_of((0, 0), ("40 days", "10 days"), "2030-05-01", "")
    'No event in 10 days from 2030-05-01 on, nor in 40 days before.'
    """
    before, after = events
    now = f"{after:,} {noun_for(after, 'event')}" if after else "No event"
    now = f"{now} in {spans[1]} from {since} on"
    if not before:
        return f"{now}, {'after none' if after else 'nor'} in {spans[0]} before."
    return f"{now}, after {before:,} in {spans[0]} before{f': {factor}' if after else ''}."


def about_probabilities(span: str, since: str) -> str:
    """What the probabilities of changed groups mean, within a span of time and from a date on."""
    return (
        f"p: the probability of at least one event within {span}, from {since} on and from now on. Events count as "
        "independent, so it is too high where some come together. A dash means that no event is foreseen."
    )


def probability_summary_of(probabilities: tuple[float, float], horizon: str, dates: tuple[str, str]) -> str:
    """The probability of at least one event within a horizon, from each of two dates on.

    >>> probability_summary_of((0.0, 0.5), "7 days", ("2030-05-01", "2030-05-11"))
    'Probability of at least one event within 7 days: not foreseen from 2030-05-01 on, 50.0% from 2030-05-11 on.'
    """
    before, after = (_foreseen(probability or None) for probability in probabilities)
    return (
        f"Probability of at least one event within {horizon}: {before} from {dates[0]} on, {after} from {dates[1]} on."
    )


def by_rate(triple: ChangedTriple, span_before: str) -> ChangedTriple:
    """An event with words for how often it happened.

    Args:
        triple: The event.
        span_before: The length of the period before.

    >>> calls = ChangedTriple("Ann", "calls", "Bo", 0, 2, 0.0, 0.2, "2030-05-03", "2030-05-09")
    >>> by_rate(calls, "40 days")[-2:]
    ('new', '2 times, on 2030-05-03 and 2030-05-09; not in 40 days before')
    >>> by_rate(calls._replace(events_before=12, before=0.3, events_after=7), "40 days").sentence
    '7 times, from 2030-05-03 to 2030-05-09; 12 times before'
    >>> by_rate(calls._replace(events_before=1, before=0.3, events_after=0, after=0.0, first=None), "40 days")[-2:]
    ('none since', 'once before, on 2030-05-09')
    """
    before = f"{how_often(triple.events_before)} before"
    if not triple.events_after:
        latest = f"{'on' if triple.events_before == 1 else 'the latest on'} {triple.latest}"
        return triple._replace(movement="none since", sentence=f"{before}, {latest}")
    sentence = f"{_when(triple)}; {before if triple.events_before else f'not in {span_before} before'}"
    return triple._replace(movement=factor_text(triple.before, triple.after), sentence=sentence)


def by_probability(triple: ChangedTriple) -> ChangedTriple:
    """An event with words for its probability.

    >>> calls = ChangedTriple("Ann", "calls", "Bo", 0, 0, 0.0, 0.0, None, None, 0.25, None)
    >>> by_probability(calls)[-2:]
    ('down', 'not foreseen now, 25.0% before; it never happened')
    """
    before, after = triple.probability_before, triple.probability_after
    last = "it never happened" if triple.latest is None else f"its latest event was on {triple.latest}"
    sentence = f"{_foreseen(after)} now, {_foreseen(before)} before; {last}"
    return triple._replace(movement="up" if (after or 0.0) > (before or 0.0) else "down", sentence=sentence)


def _when(triple: ChangedTriple) -> str:
    """How often and when an event happened in the period of interest."""
    if triple.events_after == 1:
        return f"once, on {triple.first}"
    if triple.events_after == 2:
        return f"2 times, on {triple.first} and {triple.latest}"
    return f"{how_often(triple.events_after)}, from {triple.first} to {triple.latest}"


def _foreseen(probability: float | None) -> str:
    return "not foreseen" if probability is None else rare(probability)
