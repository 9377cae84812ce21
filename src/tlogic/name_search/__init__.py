"""Search for names. Commands, the HTTP API, the page and error messages all use `NameIndex`.

- ``folding``: text without case and accents, and its words
- ``indexed_names``: names prepared for the search of one word
- ``name_index``: the search of a text in all names, and the order of the matches
"""

from tlogic.name_search.name_index import NameIndex

__all__ = ["NameIndex"]
