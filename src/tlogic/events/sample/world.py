"""The definition of the sample world: its actors, planted rules, stories and habits.

Ten invented nations, each with a country, a minister, a capital and a company that is a client of one of five banks,
and ten agencies that help cities and supervise companies and banks. `tlogic.events.sample.simulation` simulates it.
"""

from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from typing import NamedTuple

FIRST_DAY = date(2030, 1, 1)
TITLE = "The sample world of tlogic"
PROSE = """\
The sample world has ten invented nations. Each has a country, a minister, a capital city and a company that is
a client of one of five banks. Ten agencies help the cities and supervise the companies and banks.

Politics: after countries negotiate, some pairs sign an agreement. A minister who is criticised may retaliate
against the critic. After a country has instructed its minister and the minister has warned another country,
sanctions may follow. After a city subsidises its company and the company opens an office in another city, the
two cities may become twins. After a city appeals to its country, the country instructs its minister and the
minister visits an agency, the city may receive aid from that agency.

Business: after a company seeks credit from its bank, is financed by it and bids for another company, it may take
that company over or be sued by it. After an agency opens an inquiry into a company or bank, gets a reply and
warns, it usually imposes a fine.

For each rule, a fixed share of pairs of actors completes the rule every time, one or two days later; the other
pairs never do. Actors also have habits without consequences (praise, visits, bids, inquiries), and every second
day on average a false fact is added as noise.

All names are invented. train.txt has the first 80 % of the days, valid.txt the next 10 %, test.txt the last 10 %.
Each line is one fact: subject, relation, object, date, separated by tabs.

The planted rules follow, each with the share of pairs (X, Y) for which its head follows. The times T1, T2, ...
never decrease within a body, and the head comes later. A relation with ^-1 is read from Y to X.
"""

INVERSE = "^-1"
"""Suffix of an inverse relation: `criticise^-1(X, Y)` means that Y criticises X."""


class Nation(NamedTuple):
    """The actors of one nation; its company is a client of the bank, which nations share."""

    country: str
    minister: str
    city: str
    company: str
    bank: str


NATIONS = (
    Nation("Aurelland", "Minister Ilse Maren", "Port Aurel", "Aurel Shipping", "Harbour Bank"),
    Nation("Brinmark", "Minister Oskar Lindvarn", "Brinhaven", "Northlight Energy", "Old Mill Bank"),
    Nation("Corvania", "Minister Dana Petrel", "Silverbridge", "Corvan Railways", "Lighthouse Trust"),
    Nation("Dalmere", "Minister Hugo Fairlow", "Dalmere Quay", "Tessera Software", "Summit Credit"),
    Nation("Eskeria", "Minister Noor Halvani", "Eskar", "Orchard Foods", "Acorn Savings"),
    Nation("Fenwald", "Minister Greta Moorland", "Willowford", "Bluewater Timber", "Harbour Bank"),
    Nation("Galdria", "Minister Pavel Ostrin", "Galdspire", "Cinder Steel", "Old Mill Bank"),
    Nation("Hestovia", "Minister Lucia Verano", "Hestobel", "Lantern Pharma", "Lighthouse Trust"),
    Nation("Illyrne", "Minister Kofi Adarne", "Lake Illyr", "Meadow Textiles", "Summit Credit"),
    Nation("Jorvane", "Minister Mei Tarlow", "Stonemouth", "Kite Aviation", "Acorn Savings"),
)
AGENCIES = (
    "Air Quality Office",
    "Clean Rivers Agency",
    "Fair Markets Office",
    "Flood Rescue Service",
    "Grain Reserve Board",
    "Open Skies Authority",
    "Public Health Institute",
    "Radio Spectrum Board",
    "Safe Toys Inspectorate",
    "Work Safety Council",
)
COUNTRIES = tuple(nation.country for nation in NATIONS)
MINISTERS = tuple(nation.minister for nation in NATIONS)
CITIES = tuple(nation.city for nation in NATIONS)
COMPANIES = tuple(nation.company for nation in NATIONS)
BANKS = tuple(dict.fromkeys(nation.bank for nation in NATIONS))
ACTORS = COUNTRIES + MINISTERS + CITIES + COMPANIES + BANKS + AGENCIES


@dataclass(frozen=True)
class PlantedRule:
    """A rule of the sample world: head(E1, El+1, Tl+1) <- r1(E1, E2, T1), ..., rl(El, El+1, Tl).

    Times never decrease along the body, and the head comes later than all of it.

    >>> print(PlantedRule("sue", ("bid_for^-1",), (0, 1), 0.4))
    sue(X,Y,T2) <- bid_for^-1(X,Y,T1)
    >>> print(PlantedRule("fine", ("inspect", "reply_to", "warn"), (0, 1, 0, 1), 0.75))
    fine(X,Y,T4) <- inspect(X,Y,T1), reply_to(Y,X,T2), warn(X,Y,T3)
    """

    head: str
    """The relation that follows."""
    body: tuple[str, ...]
    """The relations of the chain E1 -> E2 -> ... in order; inverse relations end in `^-1`."""
    variables: tuple[int, ...]
    """Which of E1, E2, ... are the same actor, numbered by first appearance: (0, 1, 0, 1) is X Y X Y."""
    probability: float
    """The share of end pairs (E1, El+1) for which the head follows."""

    def __str__(self) -> str:
        names = self._variable_names()
        body = (
            f"{relation}({start},{end},T{number})"
            for number, (relation, (start, end)) in enumerate(zip(self.body, pairwise(names), strict=True), 1)
        )
        return f"{self.head}({names[0]},{names[-1]},T{len(names)}) <- {', '.join(body)}"

    def _variable_names(self) -> list[str]:
        """X for the first entity, Y for the last, Z and W for those between."""
        between = iter("ZW")
        names = {self.variables[0]: "X", self.variables[-1]: "Y"}
        return [names.get(variable) or names.setdefault(variable, next(between)) for variable in self.variables]


@dataclass(frozen=True)
class Story:
    """When the body of a rule takes place: once every ``every`` days for each chain of actors."""

    rule: PlantedRule
    cast: tuple[tuple[str, ...], ...]
    """Chains E1, E2, ..., El+1 of the actors of the body."""
    every: int


@dataclass(frozen=True)
class Habit:
    """Random facts between actors of two kinds, outside of stories."""

    relation: str
    subjects: tuple[str, ...]
    objects: tuple[str, ...]
    daily: float
    """The average number of such facts per day."""


SIGNING = PlantedRule("sign_agreement_with", ("negotiate_with",), (0, 1), 0.7)
RETALIATION = PlantedRule("retaliate_against", ("criticise^-1",), (0, 1), 0.55)
LAWSUIT = PlantedRule("sue", ("bid_for^-1",), (0, 1), 0.4)
SANCTIONS = PlantedRule("impose_sanctions_on", ("instruct", "warn"), (0, 1, 2), 0.65)
TWINNING = PlantedRule("twin_with", ("subsidise", "open_office_in"), (0, 1, 2), 0.5)
FINE = PlantedRule("fine", ("open_inquiry_into", "reply_to", "warn"), (0, 1, 0, 1), 0.8)
AID = PlantedRule("receive_aid_from", ("appeal_to", "instruct", "visit"), (0, 1, 2, 3), 0.6)
TAKEOVER = PlantedRule("take_over", ("seek_credit_from", "finance", "bid_for"), (0, 1, 0, 2), 0.45)

PLANTED_RULES = (SIGNING, RETALIATION, LAWSUIT, SANCTIONS, TWINNING, FINE, AID, TAKEOVER)
"""The rules that a learner should find."""

_FOREIGN = tuple((home, abroad) for home in NATIONS for abroad in NATIONS if home != abroad)
_SUPERVISED = tuple(
    (AGENCIES[(number + shift) % len(AGENCIES)], watched)
    for number, watched in enumerate(COMPANIES + BANKS)
    for shift in (0, 3)
)

# In each cast, all actors but the last belong to the first one (a country has its own minister), so that the last
# atom determines the first actor. Lawsuits need no story, because takeovers contain their body.
STORIES = (
    Story(SIGNING, tuple((home.country, abroad.country) for home, abroad in _FOREIGN), every=72),
    Story(RETALIATION, tuple((home.minister, abroad.minister) for home, abroad in _FOREIGN), every=72),
    Story(
        SANCTIONS,
        tuple((home.country, home.minister, abroad.country) for home, abroad in _FOREIGN),
        every=90,
    ),
    Story(TWINNING, tuple((home.city, home.company, abroad.city) for home, abroad in _FOREIGN), every=90),
    Story(FINE, tuple((agency, watched, agency, watched) for agency, watched in _SUPERVISED), every=45),
    Story(
        AID,
        tuple((home.city, home.country, home.minister, agency) for home in NATIONS for agency in AGENCIES),
        every=60,
    ),
    Story(
        TAKEOVER,
        tuple((home.company, home.bank, home.company, abroad.company) for home, abroad in _FOREIGN),
        every=60,
    ),
)

# Incomplete bodies, so that no single atom of a long body predicts as well as the whole body.
HABITS = (
    Habit("praise", ACTORS, ACTORS, daily=1.2),
    Habit("visit", AGENCIES, CITIES, daily=0.4),
    Habit("bid_for", CITIES, COMPANIES, daily=0.4),
    Habit("open_office_in", BANKS, CITIES, daily=0.4),
    Habit("open_inquiry_into", AGENCIES, CITIES, daily=0.15),
    Habit("reply_to", CITIES, AGENCIES, daily=0.15),
)

RELATIONS = tuple(
    dict.fromkeys(
        relation.removesuffix(INVERSE)
        for relation in [name for rule in PLANTED_RULES for name in (*rule.body, rule.head)]
        + [habit.relation for habit in HABITS]
    )
)
