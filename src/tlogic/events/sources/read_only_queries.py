"""Checks that the query of a database is one statement that reads, before it is sent.

A transaction that is opened read-only is no protection: a second statement can end it.
"""

import re

from tlogic.errors import InputError

_READS = {"SELECT", "WITH", "VALUES", "TABLE", "FROM"}
_WRITES = {"INSERT", "UPDATE", "DELETE", "MERGE", "INTO", "DROP", "ALTER", "CREATE", "TRUNCATE", "EXEC", "COMMIT"}
# Texts, quoted names and comments, whose content is no SQL; then words; then the end of a statement. The first are
# found only where all databases agree on their ends. What else may begin one in some database is unclear.
#
# From # to the end of the line is a comment in MySQL; elsewhere # belongs to an operator such as #>> or to a name. If
# nothing that begins on the line goes on behind it, both readings agree on all other lines, and the line is checked.
_TOKENS = re.compile(
    r"""
      '(?:[^'\\]|\\(?!')|'')*'                         # a text, in which '' is a quote
    | "(?:[^"\\]|\\(?!")|"")*"                         # a quoted name
    | `(?:(?!--|/\*)[^`'"$\#;])*`                      # a quoted name in MySQL
    | \[(?:(?!--|/\*)[^][`'"$;\#\n]|'[^]'\\]*')*\]     # a quoted name in SQL Server, or an array
    | --(?=[ \t\r\n]|\Z)[^;\r\n]*(?=\r?\n|\Z)          # a comment, of one line
    | /\*(?!M?!)(?:[^;*/]|\*(?!/)|/(?!\*))*\*/         # or between marks, with no other comment inside
    | (?P<word>(?:[A-Za-z_]|[^\0-\x7f\s])(?:[\w$]|[^\0-\x7f\s])*)
    | (?P<end>;)
    | (?P<hash>\#)(?=(?:'[^'\r\n]*'|"[^"\r\n]*"|/(?!\*)|[^'"`/\r\n])*(?:\r?\n|\Z))
    | (?P<unclear>['"`$[\#]|--|/\*)
    """,
    re.VERBOSE,
)


def check_reads_only(query: str, name: str) -> None:
    """Raise an error unless a query is one statement that only reads: SELECT, WITH, VALUES or TABLE.

    Args:
        query: The query; not the name of a table.
        name: The name of the database in error messages.

    Raises:
        InputError: If it is anything else.

    >>> check_reads_only("SELECT ';' AS a FROM events; -- all", "events.db")
    >>> check_reads_only("SELECT 1; DROP TABLE events", "events.db")
    Traceback (most recent call last):
    tlogic.errors.InputError: events.db: the query has several statements; give a single SELECT.
    """
    words: list[str] = []
    is_ended = False
    for token in _TOKENS.finditer(query):
        if token["unclear"] or (token["hash"] and not words):
            raise InputError(
                f"{name}: databases differ in how they read the query from {token[0]} at character "
                f"{token.start() + 1:,} on; write texts in single quotes, with '' for a quote in them, names in double "
                "quotes, comments after -- and without a semicolon, and quoted texts that follow # in its line."
            )
        if token["word"]:
            if is_ended:
                raise InputError(f"{name}: the query has several statements; give a single SELECT.")
            words.append(token["word"].upper())
        is_ended |= token["end"] is not None
    if not words or words[0] not in _READS:
        raise InputError(f"{name}: a query only reads; expected SELECT, WITH, VALUES or the name of a table.")
    written = next((word for word in words if word in _WRITES), None)
    if written is not None:
        raise InputError(
            f"{name}: a query only reads, but this one has the word {written}; if that is a name, put it into quotes."
        )
