"""Guess the columns of a table whose header is not recognised, for error messages."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches

from tlogic.events.sources.columns import COLUMN_NAMES, ROLES, plain_name, recognised_columns

# Names that are too vague to be recognised without asking.
_VAGUE_NAMES = {
    "subject": "who from name entity company country person id user client account",
    "relation": "did does do what action verb kind category activity",
    "object": "whom to with partner other about item",
    "time": "when week quarter start begin period on at",
}


def guess_columns(names: Sequence[str | None], given: Mapping[str, str | int] | None = None) -> dict[str, str]:
    """The likely column of each role: given or recognised, with a similar name, or the next that is left.

    >>> guess_columns(["week", "who", "did", "whom"])
    {'subject': 'who', 'relation': 'did', 'object': 'whom', 'time': 'week'}
    """
    left = [name for name in names if name]
    chosen = {role: column for role, column in (given or {}).items() if isinstance(column, str) and column in left}
    for role, position in recognised_columns(names).items():
        chosen.setdefault(role, str(names[position]))
    for known in (COLUMN_NAMES, _VAGUE_NAMES):
        for role in ROLES:
            unused = [name for name in left if name not in chosen.values()]
            if role not in chosen and (similar := _most_similar(unused, known[role].split())):
                chosen[role] = similar
    unused = [name for name in left if name not in chosen.values()]
    chosen |= dict(zip([role for role in ROLES if role not in chosen], unused, strict=False))
    return {role: chosen[role] for role in ROLES if role in chosen}


def suggest_columns(names: Sequence[str | None], given: Mapping[str, str | int] | None = None) -> str:
    """A sentence that suggests columns; empty if there are too few of them.

    >>> print(suggest_columns(["week", "who", "did", "whom"]))
     Did you mean columns=['who', 'did', 'whom', 'week'] (--columns who,did,whom,week)?
    """
    guess = guess_columns(names, given)
    if len(guess) < len(ROLES):
        return ""
    columns = list(guess.values())
    option = ",".join(columns)
    return f" Did you mean columns={columns} (--columns {repr(option) if ' ' in option else option})?"


def _most_similar(names: Sequence[str], known: Sequence[str]) -> str | None:
    """The name that is most like one of the known ones."""
    plain = {plain_name(name): name for name in reversed(names)}
    matches = (get_close_matches(word, plain, n=1, cutoff=0.8) for word in known)
    return next((plain[found[0]] for found in matches if found), None)
