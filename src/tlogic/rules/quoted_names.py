"""Relation names in the text of a rule: ambiguous ones are quoted."""

import json
import re
from functools import lru_cache

from tlogic.names import INVERSE_MARK

# Text that the parser could take for the end of the name or the start of the next atom.
_AMBIGUOUS = re.compile(r'^$|^[,({\[]|[\s"#]|<-|:-|←|\([^()]*,|\),')


def needs_no_quotes(name: str) -> bool:
    """Is the name unambiguous in a rule without quotes?

    >>> needs_no_quotes("Return,_release_person(s)"), needs_no_quotes("has relation")
    (True, False)
    """
    return name.isprintable() and not _AMBIGUOUS.search(name)


@lru_cache(maxsize=1 << 16)
def quote_name(name: str) -> str:
    """The name as it appears in a rule: unchanged, or as a JSON string if it would be ambiguous.

    >>> print(quote_name("visit^-1"), quote_name("has relation^-1"))
    visit^-1 "has relation"^-1
    """
    if needs_no_quotes(name):
        return name
    base = name.removesuffix(INVERSE_MARK)
    return json.dumps(base, ensure_ascii=False) + name[len(base) :]
