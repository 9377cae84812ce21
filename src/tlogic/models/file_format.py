"""The format of model files: how to recognise one without loading it."""

import os
import re
from pathlib import Path

FORMAT = "tlogic model"
VERSION = 5

_HEADER_BYTES = 100
_HEADER = re.compile(rb'(\xef\xbb\xbf)?\s*\{\s*"format"\s*:\s*"%b"' % FORMAT.encode())


def is_model_file(path: str | os.PathLike[str]) -> bool:
    """Whether a file starts as model files do, of any version; False if it cannot be read."""
    try:
        with Path(path).open("rb") as file:
            return _HEADER.match(file.read(_HEADER_BYTES)) is not None
    except OSError:
        return False
