"""English verbs: the inflected forms and prepositions that sentences about rules need."""

import re

# Verbs of relation names, by the preposition before their object; "" for none, as in "visits Y".
_VERBS = {
    "": """
        abduct accept accuse acquire aid allow arrest assassinate assault attack attempt attend avoid ban block bomb
        break bring buy call carry challenge change charge claim coerce condemn conduct confiscate consider consult
        contact contradict control create criticise criticize damage declare decline de-escalate defend defy demobilize
        denounce deny deport destroy detain detonate dismiss ease educate elect email employ encourage endorse entertain
        evict expel express fight finance find fine fire follow forgive free fund give grant greet halt help hijack hire
        hit host hug impose increase influence inform inspect institute instruct invade invest investigate invite join
        kill kiss know lead leave like lose love make marry meet mention message monitor move nominate notify obstruct
        occupy offer open oppose own pay phone poison praise promote propose provide punish receive recognise recognize
        reduce refuse register reject release remove replace represent rescue restrict return review reward sanction
        seek seize sell send serve settle share shoot sign stop strike subsidise subsidize sue support suspect take
        teach tell text thank threaten torture train treat use veto violate visit warn watch win
    """,
    "with": """
        agree collaborate compete cooperate correspond discuss engage interact mediate negotiate side talk trade twin
        work
    """,
    "to": """
        accede acknowledge apologise apologize appeal belong concede listen reply report respond speak surrender write
        yield
    """,
    "against": "demonstrate mobilize play protest rally retaliate riot vote",
    "about": "comment complain hear learn think worry",
    "something of": "demand request",
    "from": "borrow graduate retreat steal withdraw",
    "in": "die live participate reside study",
    "for": "bid campaign",
}
_PREPOSITION = {verb: preposition for preposition, verbs in _VERBS.items() for verb in verbs.split()}

_THIRD_PERSON = {"have": "has", "be": "is"}
_DOUBLED = {"expel", "control", "refer", "admit", "permit", "commit", "submit", "transfer"}
_ENDS_IN_S = re.compile(r"(?:s|sh|ch|x|z|o)$")
_ENDS_IN_Y = re.compile(r"(?<=[^aeiou])y$")
_ENDS_IN_E = re.compile(r"(?<=[^eoy])e$")
_SHORT = re.compile(r"^[^aeiou]*[aeiou][^aeiouwxy]$")
_ENDS_IN_IE = re.compile(r"ie$")


def is_verb(word: str) -> bool:
    """Is the word the base form of a known verb?

    >>> is_verb("consult"), is_verb("capital")
    (True, False)
    """
    return word in _PREPOSITION


def preposition_of(verb: str) -> str:
    """The preposition before the object of a verb, such as `with` for `negotiate`; empty for `visit`."""
    return _PREPOSITION[verb]


def base_form(word: str) -> str:
    """The base form of the third person of a known verb; other words are returned unchanged.

    >>> base_form("visits"), base_form("accuses"), base_form("rallies"), base_form("sanctions law")
    ('visit', 'accuse', 'rally', 'sanctions law')
    """
    for base in (word.removesuffix("s"), word.removesuffix("es"), word.removesuffix("ies") + "y"):
        if is_verb(base) and third_person(base) == word:
            return base
    return word


def third_person(verb: str) -> str:
    """The third person singular.

    >>> [third_person(verb) for verb in ("consult", "veto", "rally", "accuse", "pay")]
    ['consults', 'vetoes', 'rallies', 'accuses', 'pays']
    """
    if _ENDS_IN_Y.search(verb):
        return verb[:-1] + "ies"
    return _THIRD_PERSON.get(verb) or verb + ("es" if _ENDS_IN_S.search(verb) else "s")


def gerund(verb: str) -> str:
    """The -ing form.

    >>> [gerund(verb) for verb in ("consult", "make", "stop", "expel", "agree", "die", "visit")]
    ['consulting', 'making', 'stopping', 'expelling', 'agreeing', 'dying', 'visiting']
    """
    if verb in _DOUBLED or _SHORT.search(verb):
        return f"{verb}{verb[-1]}ing"
    return _ENDS_IN_E.sub("", _ENDS_IN_IE.sub("y", verb)) + "ing"


def past(verb: str) -> str:
    """The regular past tense.

    >>> [past(verb) for verb in ("create", "visit", "deny", "stop")]
    ['created', 'visited', 'denied', 'stopped']
    """
    if _ENDS_IN_Y.search(verb):
        return verb[:-1] + "ied"
    if verb in _DOUBLED or _SHORT.search(verb):
        return f"{verb}{verb[-1]}ed"
    return verb.removesuffix("e") + "ed"


def word_set(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


FINITE = word_set("is are was were has had led left met sent sold won").union(map(past, _PREPOSITION))
"""Verb forms that need no inflection in a sentence."""


def article_for(word: str) -> str:
    """The article before a word: "a" or "an".

    >>> article_for("ultimatum"), article_for("statement")
    ('an', 'a')
    """
    return "an" if word[:1] in "aeiou" else "a"
