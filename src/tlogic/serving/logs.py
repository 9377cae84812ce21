"""Logs of a service: JSON lines on standard error, with secrets removed."""

import json
import logging
import re
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from tlogic.errors import TLogicError

log = logging.getLogger("tlogic.serving")

# Query strings of the page contain client ids.
_QUERY_STRING = re.compile(r"\?[^\s\"']*")
_HIDDEN = "***"


class JsonFormatter(logging.Formatter):
    """Formats log records as JSON. ``extra={"fields": {...}}`` adds fields.

    >>> formatter = JsonFormatter(secrets=["hunter2"])
    >>> record = logging.LogRecord("tlogic.serving", logging.INFO, "", 0, "login with hunter2", (), None)
    >>> json.loads(formatter.format(record))["event"]
    'login with ***'
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        super().__init__()
        spellings = {spelling for secret in secrets for spelling in _spellings(secret)}
        self._secrets = sorted(spellings, key=len, reverse=True)

    def format(self, record: logging.LogRecord) -> str:
        """Format a record as one line."""
        fields: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": self._event(record),
            "logger": record.name,
            **getattr(record, "fields", {}),
        }
        if record.exc_info:
            fields["exception"] = self.formatException(record.exc_info)
        return json.dumps({name: self._redact(value) for name, value in fields.items()}, default=str)

    def _event(self, record: logging.LogRecord) -> str:
        message = record.getMessage()
        return message if record.name == log.name else _QUERY_STRING.sub("?" + _HIDDEN, message)

    def _redact(self, value: Any) -> Any:
        if isinstance(value, str):
            for secret in self._secrets:
                value = value.replace(secret, _HIDDEN)
        return value


class FailureLog:
    """Logs the first of several failures in a row, and the recovery; a thread that polls would fill the log."""

    def __init__(self) -> None:
        self._is_failing = False

    @contextmanager
    def logged(self) -> Iterator[None]:
        """Log a failure inside the context instead of raising it."""
        try:
            yield
        except Exception as error:
            if not self._is_failing:
                log.warning(str(error), exc_info=not isinstance(error, TLogicError))
            self._is_failing = True
        else:
            if self._is_failing:
                log.info("the store is reachable again")
            self._is_failing = False


def configure_logs(secrets: Iterable[str] = ()) -> None:
    """Write the logs of the service and its web server to standard error, without the given secrets."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter(secrets))
    for name in ("tlogic.serving", "uvicorn", "nicegui"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(logging.INFO if name == log.name else logging.WARNING)
    threading.excepthook = _log_thread_failure


def _log_thread_failure(failure: threading.ExceptHookArgs) -> None:
    name = failure.thread.name if failure.thread else "unknown"
    log.error("a thread failed", exc_info=failure.exc_value, extra={"fields": {"thread": name}})


def _spellings(secret: str) -> set[str]:
    """A secret as it is and as it is encoded in a URL."""
    return {secret, quote(secret, safe="")} - {""}
