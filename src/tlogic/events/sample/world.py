"""The sample world: who lives in it, which rules govern it, and what its actors do of their own accord.

Ten invented nations, each with a country, a minister, a capital and a company that banks with one of five
banks, and ten agencies that help cities and watch over companies and banks. Everything here is a
declaration; `tlogic.events.sample.simulation` brings it to life.
"""

from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from typing import NamedTuple

FIRST_DAY = date(2030, 1, 1)
TITLE = "The sample world of tlogic"
PROSE = """\
Ten small nations share a coast. Each has a country, a minister, a capital city and a company that keeps its
account with one of five banks; ten agencies help the cities and watch over the companies and the banks.

Countries negotiate, and after negotiating many a pair signs an agreement. A minister who is criticised may
retaliate against the critic. When a country has instructed its minister and the minister has warned another
country, sanctions may follow. Capitals are on better terms: a city subsidises its company, the company opens
an office in another city, and soon the two cities are twins. A city in need appeals to its country, the
country instructs its minister, the minister visits an agency, and the city receives aid from that agency.

Business has stories of its own. A company seeks credit from its bank, the bank finances it, the company bids
for another one and may take it over, if it is not sued by its prey first. An agency opens an inquiry into a
company or a bank, gets a reply, warns, and mostly ends with a fine.

Whether a pair of actors goes through with the end of a story is a matter of character: once they do, they
always do, a day or two later. Besides, actors have their habits (praise, visits, bids and inquiries of no
consequence), and the wire service garbles a report every other day.

All names are invented. train.txt holds the first 80 % of the days, valid.txt the next 10 %, test.txt the last
10 %. A line is a fact: subject, relation, object, date, parted by tabs.

The rules that the world obeys, each with the share of pairs (X, Y) for which its head follows. T1, T2, ...
never decrease within a body, and the head comes later; a relation with ^-1 is read from Y to X.
"""

INVERSE = "^-1"
"""Suffix of an inverse relation: `criticise^-1(X, Y)` says that Y criticises X."""


class Nation(NamedTuple):
    """One nation's actors; the bank is where its company keeps its account, and is shared with others."""

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
    """A rule the world obeys: head(E1, El+1, Tl+1) <- r1(E1, E2, T1), ..., rl(El, El+1, Tl).

    Times never decrease along the body, and the head comes later than all of it.

    >>> print(PlantedRule("sue", ("bid_for^-1",), (0, 1), 0.4))
    sue(X,Y,T2) <- bid_for^-1(X,Y,T1)
    >>> print(PlantedRule("fine", ("inspect", "reply_to", "warn"), (0, 1, 0, 1), 0.75))
    fine(X,Y,T4) <- inspect(X,Y,T1), reply_to(Y,X,T2), warn(X,Y,T3)
    """

    head: str
    """The relation that follows."""
    body: tuple[str, ...]
    """The relations of the chain E1 -> E2 -> ... in order; an inverse one ends in `^-1`."""
    variables: tuple[int, ...]
    """Which of E1, E2, ... are the same actor, numbered by first appearance: (0, 1, 0, 1) is X Y X Y."""
    probability: float
    """The share of end pairs (E1, El+1) for which the head follows."""

    def __str__(self) -> str:
        names = self._variable_names()
        body = (
            f"{relation}({start},{end},T{step})"
            for step, (relation, (start, end)) in enumerate(zip(self.body, pairwise(names), strict=True), 1)
        )
        return f"{self.head}({names[0]},{names[-1]},T{len(names)}) <- {', '.join(body)}"

    def _variable_names(self) -> list[str]:
        """X for the first entity, Y for the last, Z and W for those between."""
        between = iter("ZW")
        names = {self.variables[0]: "X", self.variables[-1]: "Y"}
        return [names.get(variable) or names.setdefault(variable, next(between)) for variable in self.variables]


@dataclass(frozen=True)
class Story:
    """The occasions on which the body of a rule is played: every chain of actors once in so many days."""

    rule: PlantedRule
    cast: tuple[tuple[str, ...], ...]
    """Chains E1, E2, ..., El+1 of actors who play the body together."""
    every: int


@dataclass(frozen=True)
class Habit:
    """What actors of one kind do to actors of another now and then, outside of any story."""

    relation: str
    subjects: tuple[str, ...]
    objects: tuple[str, ...]
    daily: float
    """How many such facts a day, on average."""


SIGNING = PlantedRule("sign_agreement_with", ("negotiate_with",), (0, 1), 0.7)
RETALIATION = PlantedRule("retaliate_against", ("criticise^-1",), (0, 1), 0.55)
LAWSUIT = PlantedRule("sue", ("bid_for^-1",), (0, 1), 0.4)
SANCTIONS = PlantedRule("impose_sanctions_on", ("instruct", "warn"), (0, 1, 2), 0.65)
TWINNING = PlantedRule("twin_with", ("subsidise", "open_office_in"), (0, 1, 2), 0.5)
FINE = PlantedRule("fine", ("open_inquiry_into", "reply_to", "warn"), (0, 1, 0, 1), 0.8)
AID = PlantedRule("receive_aid_from", ("appeal_to", "instruct", "visit"), (0, 1, 2, 3), 0.6)
TAKEOVER = PlantedRule("take_over", ("seek_credit_from", "finance", "bid_for"), (0, 1, 0, 2), 0.45)

PLANTED_RULES = (SIGNING, RETALIATION, LAWSUIT, SANCTIONS, TWINNING, FINE, AID, TAKEOVER)
"""The rules of the world: the answers that a learner should find."""

_FOREIGN = tuple((home, abroad) for home in NATIONS for abroad in NATIONS if home != abroad)
_WATCHED = tuple(
    (AGENCIES[(number + shift) % len(AGENCIES)], watched)
    for number, watched in enumerate(COMPANIES + BANKS)
    for shift in (0, 3)
)

# In each cast the actors before the last belong to the first one (a country has its own minister), so that
# whoever plays the last atom, it is clear on whose behalf. Lawsuits need no story: takeovers give occasion.
STORIES = (
    Story(SIGNING, tuple((home.country, abroad.country) for home, abroad in _FOREIGN), every=72),
    Story(RETALIATION, tuple((home.minister, abroad.minister) for home, abroad in _FOREIGN), every=72),
    Story(
        SANCTIONS,
        tuple((home.country, home.minister, abroad.country) for home, abroad in _FOREIGN),
        every=90,
    ),
    Story(TWINNING, tuple((home.city, home.company, abroad.city) for home, abroad in _FOREIGN), every=90),
    Story(FINE, tuple((agency, watched, agency, watched) for agency, watched in _WATCHED), every=45),
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

# Half-told stories, so that no single atom of a long body says as much as the whole.
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
