"""The log of a service: one JSON object a line on standard error, without anything that is secret."""

import json
import logging
import re
import sys
import threading
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

log = logging.getLogger("tlogic.serving")

# Those who connect to the page are told apart by what follows the question mark.
_QUERY_STRING = re.compile(r"\?[^\s\"']*")
_HIDDEN = "***"


class JsonLines(logging.Formatter):
    """Log records as JSON; ``extra={"fields": {...}}`` adds to them.

    >>> lines = JsonLines(secrets=["hunter2"])
    >>> record = logging.LogRecord("tlogic.serving", logging.INFO, "", 0, "no entry with hunter2", (), None)
    >>> json.loads(lines.format(record))["event"]
    'no entry with ***'
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        super().__init__()
        self._secrets = sorted({spelled for secret in secrets for spelled in _spellings(secret)}, key=len, reverse=True)

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        told: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": self._event(record),
            "logger": record.name,
            **getattr(record, "fields", {}),
        }
        if record.exc_info:
            told["exception"] = self.formatException(record.exc_info)
        return json.dumps({name: self._hide(value) for name, value in told.items()}, default=str)

    def _event(self, record: logging.LogRecord) -> str:
        message = record.getMessage()
        return message if record.name == log.name else _QUERY_STRING.sub("?" + _HIDDEN, message)

    def _hide(self, value: Any) -> Any:
        if isinstance(value, str):
            for secret in self._secrets:
                value = value.replace(secret, _HIDDEN)
        return value


def write_logs(secrets: Iterable[str] = ()) -> None:
    """Send the logs of the service and of its web server to standard error; secrets are hidden in all of them."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines(secrets))
    for name in ("tlogic.serving", "uvicorn", "nicegui"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(logging.INFO if name == log.name else logging.WARNING)
    threading.excepthook = _log_thread


def _log_thread(failed: threading.ExceptHookArgs) -> None:
    name = failed.thread.name if failed.thread else "unknown"
    log.error("a thread failed", exc_info=failed.exc_value, extra={"fields": {"thread": name}})


def _spellings(secret: str) -> set[str]:
    """A secret as it is, and as it stands in a URL."""
    return {secret, quote(secret, safe="")} - {""}
