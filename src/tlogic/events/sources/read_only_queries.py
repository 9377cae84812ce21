"""Checks that the query of a database is one statement that reads, before it is sent.

A transaction that is opened read-only is no protection: a second statement can end it.
"""

import re

from tlogic.errors import InputError

_READS = {"SELECT", "WITH", "VALUES", "TABLE", "FROM"}
_WRITES = {"INSERT", "UPDATE", "DELETE", "MERGE", "INTO"}
# Literals, quoted names and comments, whose content is no SQL; then words; then the end of a statement.
_TOKENS = re.compile(
    r"""
    (?P<text>'(?:[^']|'')*')    # in which '' is a quote
    | "(?:[^"]|"")*"            # a quoted name
    | `(?:[^`]|``)*`            # a quoted name in MySQL
    | \[[^\]\n]*\]              # a quoted name in SQL Server, or an array
    | (?P<tag>\$\w*\$)[\s\S]*?(?P=tag)  # text in PostgreSQL
    | (?P<comment>--[^\n]*|/\*[\s\S]*?\*/)
    | (?P<word>[^\W\d]\w*)
    | (?P<end>;)
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
    words, is_ended = [], False
    for token in _TOKENS.finditer(query):
        if "\\'" in (token["text"] or "") or ";" in (token["comment"] or ""):
            # Databases differ in where such a text or comment ends.
            raise InputError(f"{name}: write a quote in a text as '', and no semicolon in a comment.")
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
