"""Relations as verb phrases: `Accuse_of_crime,_corruption` becomes "accuses Y of crime or corruption".

Relations are mostly named after verbs, in the manner of event codes. The first verbs of a name are inflected, and the
object finds its place by a few rules: after a verb that takes it, behind a preposition that verb or noun ask for.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from tlogic.rules.english_verbs import (
    FINITE,
    article_for,
    base_form,
    gerund,
    is_verb,
    preposition_of,
    third_person,
    word_set,
)

_OBJECT = "\0"
_JOINERS = word_set(", or and")
_ARTICLES = word_set("a an the")
_PREPOSITIONS = word_set(
    "about against among around as at before behind between by for from in into near of off on out over to toward "
    "towards under up upon via with within"
)
# Between a verb and these stands its object: "accuses Y of crime", "takes Y hostage".
_AFTER_OBJECT = word_set("of with by as at for hostage guilty")
_OF_SOMETHING = word_set("accuse inform notify suspect warn")
# Verbs even at the end of a name: "obstructs passage or blocks Y".
_LATE_VERBS = word_set("block restrict riot")
# The preposition behind a verb and its noun: the first of these words that occurs decides.
_LEADS_TO_OBJECT = {
    word: preposition
    for preposition, words in (
        ("of", "freedoms movement politicians"),
        ("to", "access decline"),
        ("about", "comment"),
        ("to", "make"),
        ("from", "borrow demand demands receive request requests withdraw"),
        ("against", "dissent"),
        ("to", "give grant offer pay provide return sell send"),
        ("on", "ease embargo impose sanctions"),
        ("by", "accept host investigate involvement mediation"),
        ("to", "aid appeal assistance statement visit"),
        ("with", "accord agreement ceasefire cooperation dispute engagement negotiation negotiations relations truce"),
        ("with", "cooperate share"),
        ("towards", "demobilize"),
        ("against", "bombing boycott force forces lawsuit non-force opposition power protest repression strike"),
        ("against", "employ mobilize violence weapons"),
        ("of", "deport expulsion killings law occupy property release territory"),
        ("towards", "act institutions leadership option policy reform regime responsibility status"),
    )
    for word in words.split()
}
_WANTS_ARTICLE = word_set(
    "act agreement blockade bombing ceasefire comment curfew dispute inquiry lawsuit office option plan proposal "
    "request shield state statement strike truce ultimatum"
)


class Phrase(NamedTuple):
    """A verb phrase: what stands before and after its object, with the verb finite and in -ing, if it has that form."""

    finite: tuple[str, str]
    gerund: tuple[str, str] | None


@lru_cache(maxsize=1 << 16)
def verb_phrase(relation: str) -> Phrase | None:
    """The verb phrase that a relation's name stands for, or None if it does not look like one.

    >>> verb_phrase("Accuse_of_crime,_corruption").finite
    ('accuses', ' of crime or corruption')
    >>> verb_phrase("capital_of") is None
    True
    """
    words = _words(relation) if relation.isprintable() else []
    if words and words[0] in FINITE:
        passive = ["is"] if len(words) == 2 and words[1] == "by" else []
        return Phrase(_around_object([*passive, *words, _OBJECT]), None)
    placed = _with_object(words)
    if placed is None:
        return None
    told = _with_articles(placed)
    return Phrase(*(_around_object(_inflected(told, form)) for form in (third_person, gerund)))


def _words(relation: str) -> list[str]:
    """The words of a name, commas apart; "wasBornIn" has three words, and a last comma stands for "or"."""
    name = relation.strip("<>")
    if name.isidentifier() and "_" not in name and name[:1].islower():
        name = re.sub(r"(?=[A-Z])", " ", name).lower()
    words = (name.lower() if name.isupper() else name).replace("_", " ").replace(",", " , ").split()
    if words:
        words[0] = base_form(words[0].lower())
    if "," in words and not {"or", "and"} & set(words[words.index(",") :]):
        words[len(words) - 1 - words[::-1].index(",")] = "or"
    return words


def _verb_places(words: list[str]) -> list[int]:
    """Where the verbs stand that a phrase begins with: "arrest, detain, or charge"."""
    places = []
    place = 1 if words and words[0].endswith("ly") and not is_verb(words[0]) else 0
    while place < len(words) and is_verb(words[place]):
        places.append(place)
        following = place + 1
        while following < len(words) and words[following] in _JOINERS:
            following += 1
        if following == place + 1:
            break
        place = following
    return places


def _with_object(words: list[str]) -> list[str] | None:
    """A verb phrase with its object at the right place, behind the right preposition; None if it is no verb phrase."""
    places = _verb_places(words)
    if not places:
        return None
    verbs, rest = words[: places[-1] + 1], words[places[-1] + 1 :]
    if rest.count("target") == 1:
        return [_OBJECT if word == "target" else word for word in words]
    if words[-1] in _PREPOSITIONS:
        return None if rest == ["of"] else [*words, _OBJECT]
    if words[-1] in _LATE_VERBS:
        return [*words, *_object_of(words[-1])]
    if all(word.endswith("ly") for word in rest):
        return [*words, *_object_of(verbs[-1])] if preposition_of(verbs[-1]) else [*verbs, _OBJECT, *rest]
    return _with_object_in_rest(verbs, rest)


def _with_object_in_rest(verbs: list[str], rest: list[str]) -> list[str] | None:
    verb = verbs[-1]
    if verb == "appeal" and rest[0] in ("for", "to") and rest[1] != "others":
        return [*verbs, *_object_of(verb), *rest]
    if (place := _infinitive_place(rest)) is not None:
        inner = _with_object(rest[place:])
        return inner and [*verbs, *rest[:place], *inner]
    if rest[0] in _AFTER_OBJECT:
        return _with_object_between(verbs, rest)
    present = {verb, *rest}
    preposition = next((_LEADS_TO_OBJECT[word] for word in _LEADS_TO_OBJECT if word in present), None)
    return [*verbs, *rest, preposition, _OBJECT] if preposition else None


def _with_object_between(verbs: list[str], rest: list[str]) -> list[str] | None:
    """The object after the verb, "fights Y with arms", or behind all if a preposition leads to it."""
    if rest[0] == "of" and verbs[-1] not in _OF_SOMETHING:
        return None
    if preposition_of(verbs[-1]) and rest[0] != "for":
        return [*verbs, *rest, *_object_of(verbs[-1])]
    return [*verbs, *_object_of(verbs[-1]), *rest]


def _object_of(verb: str) -> list[str]:
    return [preposition_of(verb), _OBJECT] if preposition_of(verb) else [_OBJECT]


def _infinitive_place(words: list[str]) -> int | None:
    """Where the verb after "to" stands: "intent to cooperate"."""
    return next((i for i in range(1, len(words)) if words[i - 1] == "to" and is_verb(words[i])), None)


def _with_articles(words: list[str]) -> list[str]:
    """Nouns that need an article get one: "signs a formal agreement"."""
    start = _verb_places(words)[-1] + 1
    told = words[:start]
    for word in words[start:] if words[0] != "decline" else []:
        if word in _PREPOSITIONS or word == _OBJECT or told[-1] == "to":
            start = len(told) + 1
        elif word in _WANTS_ARTICLE and (start == len(told) or told[start] not in _ARTICLES):
            told.insert(start, article_for(told[start] if start < len(told) else word))
        told.append(word)
    return told + words[len(told) :]


def _inflected(words: list[str], form: Callable[[str], str]) -> list[str]:
    late = (place for place, word in enumerate(words) if word in _LATE_VERBS and words[place - 1] in _JOINERS)
    places = {*_verb_places(words), *late}
    return [form(word) if place in places else word for place, word in enumerate(words)]


def _around_object(words: list[str]) -> tuple[str, str]:
    """What stands before the object and what after it."""
    place = words.index(_OBJECT)
    before, after = (" ".join(part).replace(" ,", ",") for part in (words[:place], words[place + 1 :]))
    return before, f" {after}" if after else ""
