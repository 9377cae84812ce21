"""A checksum at the end of a JSON file, so that damage is noticed before anything of the file is used."""

import re
from hashlib import blake2b
from os import PathLike

from tlogic.errors import InputError

_SPACE = r"[ \t\r\n]*"
_MAX_SEAL_LENGTH = 1000  # characters at the end of a file in which its checksum is looked for
_SEAL = re.compile(rf',{_SPACE}"checksum"{_SPACE}:{_SPACE}"([0-9a-f]{{32}})"{_SPACE}\}}{_SPACE}\Z')


def seal(content: str) -> str:
    """The text of a JSON object with its checksum as the last field; an earlier checksum is replaced.

    >>> print(seal('{"format": "tlogic rules"}'), end="")
    {"format": "tlogic rules",
     "checksum": "9674c19c9e3a7051ea99564b7cb1a36f"}
    """
    found = _seal_of(content)
    body = content[: found.start()] if found else content.rstrip().removesuffix("}")
    return f'{body},\n "checksum": "{_checksum(body)}"}}\n'


def check_seal(content: str, path: str | PathLike[str], created_by: str) -> str:
    """Raise an error unless the text of a JSON file ends with its checksum.

    Args:
        content: The text of the file.
        path: The name of the file in error messages.
        created_by: The command that creates such files.

    Returns:
        The text before the checksum.

    Raises:
        InputError: If the checksum is missing or wrong.
    """
    found = _seal_of(content)
    body = content[: found.start()] if found else ""
    if found and found[1] == _checksum(body):
        return body
    problem = "does not match its checksum" if found else "has no checksum at its end"
    raise InputError(
        f"{path} {problem}: it is damaged, or somebody edited it. If you edited it on purpose, run "
        f"`tlogic rules {path} --seal`; otherwise create it again with `{created_by}`."
    )


def _seal_of(content: str) -> re.Match[str] | None:
    return _SEAL.search(content, max(len(content) - _MAX_SEAL_LENGTH, 0))


def _checksum(body: str) -> str:
    return blake2b(body.encode(), digest_size=16).hexdigest()
