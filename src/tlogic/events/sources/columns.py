"""Find the columns of subject, relation, object and time."""

from collections.abc import Mapping, Sequence

from tlogic.errors import InputError

ROLES = ("subject", "relation", "object", "time")
NAME_ROLES = ROLES[:3]
END_ROLE = "until"
"""The optional column of the end, in tables of facts with a beginning and an end."""

Columns = Mapping[str, str | int] | Sequence[str | int]

# In order of preference: the name of the role, the names in ICEWS, POLECAT and GDELT tables, then common names.
# The tables come first, because POLECAT also has a column "Source", which is a newspaper.
COLUMN_NAMES = {
    "subject": "subject sourcename actorname actor1name head source src actor1 actor sender",
    "relation": "relation relationtype eventtext eventtype eventcode predicate rel relationship event type edge label",
    "object": "object targetname recipientname actor2name tail target dst actor2 recipient receiver",
    "time": "time timestamp ts datetime eventdate sqldate date day month year dateadded",
}
_MIN_HEADER_MATCHES = 3
# Columns of the beginning and the end of a fact; recognised only together, and if no column is the time.
_INTERVAL_NAMES = {
    "start": ("end", "stop", "until"),
    "begin": ("end", "until"),
    "since": ("until", "to"),
    "from": ("to", "until"),
    "startdate": ("enddate",),
    "starttime": ("endtime",),
    "validfrom": ("validto", "validuntil"),
}


def check_columns(columns: Columns | None) -> dict[str, str | int]:
    """Validate the columns given by the user and return a mapping from role to name or position.

    >>> check_columns(["who", "does", "whom", "when"])
    {'subject': 'who', 'relation': 'does', 'object': 'whom', 'time': 'when'}
    """
    if columns is None:
        return {}
    if isinstance(columns, Mapping):
        given = dict(columns)
    elif not isinstance(columns, str) and len(columns) in (len(ROLES), len(ROLES) + 1):
        given = dict(zip((*ROLES, END_ROLE), columns, strict=False))
    else:
        raise InputError(
            f"columns={columns!r} must give four columns: {', '.join(ROLES)}; and a fifth if facts have an end."
        )
    for role, column in given.items():
        if role not in (*ROLES, END_ROLE):
            raise InputError(
                f"columns={columns!r} has the unknown key {role!r}; expected {', '.join(ROLES)} or {END_ROLE}."
            )
        if not isinstance(column, str | int) or (isinstance(column, int) and column < 0):
            raise InputError(f"columns={columns!r} must hold names or positions from 0, not {column!r}.")
    return given


def looks_like_header(cells: Sequence[str | None]) -> bool:
    """Whether a first row is a header and not a fact.

    >>> looks_like_header(["Event Date", "Source Name", "Event Text", "Target Name"])
    True
    >>> looks_like_header(["Iran", "Make_statement", "Iraq", "2014-08-09"])
    False
    """
    return len(recognised_columns(cells)) >= _MIN_HEADER_MATCHES


def choose_by_name(names: Sequence[str | None], given: Mapping[str, str | int], where: str) -> dict[str, int]:
    """The position of each role among named columns; given columns take precedence over recognised ones.

    >>> choose_by_name(["day", "who", "Predicate", "TAIL"], {"subject": "who"}, "facts.csv")
    {'subject': 1, 'relation': 2, 'object': 3, 'time': 0}
    """
    recognised = recognised_columns(names)
    if "time" not in recognised and "time" not in given:
        recognised |= _recognised_interval(names)
    positions = {}
    for role in (*ROLES, END_ROLE):
        if role == END_ROLE and END_ROLE not in {*given, *recognised}:
            continue
        column = given.get(role, recognised.get(role))
        if isinstance(column, str) and column in names:
            positions[role] = list(names).index(column)
        elif isinstance(column, int) and 0 <= column < len(names):
            positions[role] = column
        else:
            raise _missing_column(role, column, names, given, where)
    return positions


def choose_by_position(given: Mapping[str, str | int]) -> dict[str, int]:
    """The position of each role if columns have no names.

    >>> choose_by_position({"time": 5})
    {'subject': 0, 'relation': 1, 'object': 2, 'time': 5}
    """
    positions = {role: int(given.get(role, position)) for position, role in enumerate(ROLES)}
    return positions | ({END_ROLE: int(given[END_ROLE])} if END_ROLE in given else {})


def recognised_columns(cells: Sequence[str | None]) -> dict[str, int]:
    """The position of each role whose column has a recognised name.

    >>> recognised_columns(["Source", "weight", "date"])
    {'subject': 0, 'time': 2}
    """
    position_of = {plain_name(cell): position for position, cell in reversed(list(enumerate(cells))) if cell}
    recognised = {}
    for role, names in COLUMN_NAMES.items():
        found = [position_of[name] for name in names.split() if name in position_of]
        if found:
            recognised[role] = found[0]
    return recognised


def _recognised_interval(names: Sequence[str | None]) -> dict[str, int]:
    """The positions of the beginning and the end, if a pair of columns has names for them.

    >>> _recognised_interval(["who", "Valid_From", "Valid_To"]), _recognised_interval(["from", "whom"])
    ({'time': 1, 'until': 2}, {})
    """
    position_of = {plain_name(name): position for position, name in reversed(list(enumerate(names))) if name}
    for start, ends in _INTERVAL_NAMES.items():
        end = next((name for name in ends if name in position_of), None)
        if start in position_of and end is not None:
            return {"time": position_of[start], END_ROLE: position_of[end]}
    return {}


def plain_name(name: str) -> str:
    """A column name without case, spaces and underscores.

    >>> plain_name(" Event_Date ")
    'eventdate'
    """
    return name.strip().lower().replace(" ", "").replace("_", "")


def _missing_column(
    role: str, column: str | int | None, names: Sequence[str | None], given: Mapping[str, str | int], where: str
) -> InputError:
    from tlogic.events.sources.column_guesses import suggest_columns

    missing = f"no column recognised as the {role}"
    if column is not None:
        missing = f"no column {column!r} for the {role}"
    found = ", ".join(repr(name) for name in names)
    return InputError(
        f"{where} has {missing}; its columns are {found}. "
        f'Give the column with columns={{"{role}": "NAME"}} (--columns {role}=NAME).{suggest_columns(names, given)}'
    )
