"""Limits of connections, which hold before a request is complete and before anyone is authenticated.

Uvicorn leaves the size of heads, the time that they take and the number of connections to proxies. This protocol bounds
all three: the lines of a head, the bytes that its parser keeps, the seconds until a head is complete or a response is
read, and how many connections are open.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from tlogic.serving.schemas import Problem

MAX_URL_BYTES = 2**16 - 1
"""The parser cannot take a URL apart that is longer."""
MAX_HEADER_LINE_BYTES = 16 * 2**10
MAX_HEADER_BYTES = 64 * 2**10
MAX_HEADER_LINES = 100
MAX_PIPELINED_REQUESTS = 20
MAX_INCOMPLETE_BYTES = 64 * 2**20
"""Bytes of incomplete heads of all connections."""

_MAX_HEAD_BYTES = MAX_URL_BYTES + MAX_HEADER_BYTES
_BYTES_PER_PART = 16 * 2**10


@dataclass(frozen=True)
class ConnectionLimits:
    """Limits of the connections of a server.

    Args:
        max_connections: Open connections. Beyond it, one that waits for a request is closed for each new one.
        head_timeout: Seconds until a head must be complete, from the opening or from the response before.
        write_timeout: Seconds until a client must have read a part of a response.
    """

    max_connections: int = 1000
    head_timeout: float = 10.0
    write_timeout: float = 60.0

    @classmethod
    def of_this_process(cls) -> ConnectionLimits:
        """The default limits, with fewer connections if the process may open few files."""
        try:
            import resource
        except ImportError:  # not on Windows
            return cls()
        files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        return cls(max_connections=min(cls.max_connections, files // 2))


class ConnectionPool:
    """The connections of a server that wait for a request or the rest of one, by the address of the client."""

    def __init__(self, limits: ConnectionLimits) -> None:
        self.limits = limits
        self.incomplete_bytes = 0
        self._waiting: dict[str, dict[LimitedProtocol, None]] = {}

    def add_waiting(self, connection: LimitedProtocol) -> None:
        """Note that a connection waits for a request."""
        self._waiting.setdefault(connection.address, {})[connection] = None

    def discard_waiting(self, connection: LimitedProtocol) -> None:
        """Note that a connection has a complete request, or is closed."""
        same_address = self._waiting.get(connection.address, {})
        same_address.pop(connection, None)
        if not same_address:
            self._waiting.pop(connection.address, None)

    def close_one(self) -> bool:
        """Close the connection that waits longest, of the address that has most of them; False if none waits.

        So many idle connections of one client neither keep other clients out nor close theirs.
        """
        if not self._waiting:
            return False
        most = max(self._waiting.values(), key=len)
        next(iter(most)).abort()
        return True


class LimitedProtocol(HttpToolsProtocol):
    """HTTP protocol of Uvicorn with limits on heads, waiting and the number of connections."""

    def __init__(self, pool: ConnectionPool, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._pool, self._limits = pool, pool.limits
        self._timer: asyncio.TimerHandle | None = None
        self._stall_timer: asyncio.TimerHandle | None = None
        self._refusal: tuple[int, str] | None = None
        self._header_bytes = self._incomplete_bytes = 0

    @property
    def address(self) -> str:
        """The address of the client; empty if it is unknown."""
        return self.client[0] if self.client else ""

    def abort(self) -> None:
        """Close the connection at once."""
        self._pool.discard_waiting(self)
        self.transport.abort()

    # Connection

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request, or make room for the connection."""
        super().connection_made(transport)
        if len(self.connections) > self._limits.max_connections and not self._pool.close_one():
            self._refuse(503, "The service has too many connections; try again in a moment.")
        else:
            self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._end_waiting()
        self._stop_stall_timer()
        self._set_incomplete_bytes(0)
        super().connection_lost(exc)

    def handle_websocket_upgrade(self) -> None:
        """Hand the connection over to the protocol of web sockets."""
        self._end_waiting()
        self._set_incomplete_bytes(0)
        super().handle_websocket_upgrade()

    def pause_writing(self) -> None:
        """Give the client some time to read the response."""
        super().pause_writing()
        self._start_stall_timer()

    def resume_writing(self) -> None:
        """Note that the client reads the response."""
        super().resume_writing()
        self._stop_stall_timer()

    # Data

    def data_received(self, data: bytes) -> None:
        """Parse data in small parts, so that limits hold whatever the size of a packet."""
        for start in range(0, len(data), _BYTES_PER_PART):
            part = data[start : start + _BYTES_PER_PART]
            self._set_incomplete_bytes(self._incomplete_bytes + len(part))
            super().data_received(part)
            if self.transport.get_protocol() is self and not self.transport.is_closing():
                self._check_incomplete_bytes()
            if self.transport.get_protocol() is not self or self.transport.is_closing():
                break

    def on_message_begin(self) -> None:
        """Begin a head."""
        self._header_bytes = 0
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        """Check the length of the request line."""
        super().on_url(url)
        if len(self.url) > MAX_URL_BYTES:
            self._stop_parser(414, f"The URL is longer than {MAX_URL_BYTES:,} bytes; POST long names.")

    def on_header(self, name: bytes, value: bytes) -> None:
        """Check the length of a header line, or of a line after the body, and of all of them."""
        size = len(name) + len(value)
        self._header_bytes += size
        if size > MAX_HEADER_LINE_BYTES:
            self._stop_parser(431, f"A header line is longer than {MAX_HEADER_LINE_BYTES:,} bytes.")
        if self._header_bytes > MAX_HEADER_BYTES or len(self.headers) >= MAX_HEADER_LINES:
            self._stop_parser(
                431, f"The request has more than {MAX_HEADER_LINES} header lines or {MAX_HEADER_BYTES:,} bytes of them."
            )
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Begin the response, unless too many requests wait for theirs."""
        self._stop_head_timer()
        self._set_incomplete_bytes(0)
        if len(self.pipeline) >= MAX_PIPELINED_REQUESTS:
            self._stop_parser(503, "Too many requests were sent before the first response.")
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Pass on a part of the body, which has a limit of its own."""
        self._set_incomplete_bytes(0)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """End a request, whose body may have been slow. If it has been answered already, the next one is awaited."""
        self._set_incomplete_bytes(0)
        super().on_message_complete()
        if self.cycle is not None and not self.cycle.response_complete:  # there is none before a web socket opens
            self._pool.discard_waiting(self)

    def on_response_complete(self) -> None:
        """Wait for the next request, or until the client has read the response."""
        super().on_response_complete()
        if self.transport.is_closing():
            self._start_stall_timer()
        elif self.cycle.response_complete:
            self._await_head()

    def timeout_keep_alive_handler(self) -> None:
        """Close an idle connection, also if the client does not read the response."""
        self._end_waiting()
        super().timeout_keep_alive_handler()
        self._start_stall_timer()

    # Waiting

    def _await_head(self) -> None:
        self._end_waiting()
        self._pool.add_waiting(self)
        self._timer = self.loop.call_later(self._limits.head_timeout, self._end_late_head)

    def _end_waiting(self) -> None:
        self._pool.discard_waiting(self)
        self._stop_head_timer()

    def _stop_head_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _end_late_head(self) -> None:
        if self._incomplete_bytes:
            self._refuse(408, "The head of the request was not received in time.")
        else:
            self.timeout_keep_alive_handler()

    def _start_stall_timer(self) -> None:
        if self._stall_timer is None:
            self._stall_timer = self.loop.call_later(self._limits.write_timeout, self.abort)

    def _stop_stall_timer(self) -> None:
        if self._stall_timer is not None:
            self._stall_timer.cancel()
            self._stall_timer = None

    def _set_incomplete_bytes(self, size: int) -> None:
        """Count the bytes that the parser may keep until a head, or a part of a body, is complete."""
        self._pool.incomplete_bytes += size - self._incomplete_bytes
        self._incomplete_bytes = size

    def _check_incomplete_bytes(self) -> None:
        if self._incomplete_bytes > _MAX_HEAD_BYTES:
            self._refuse(431, f"The head of the request is larger than {_MAX_HEAD_BYTES:,} bytes.")
        elif self._pool.incomplete_bytes > MAX_INCOMPLETE_BYTES:
            self._refuse(503, "The service receives too many large requests; try again in a moment.")

    # Refusing

    def _stop_parser(self, status: int, problem: str) -> None:
        """Make the parser fail; `send_400_response` is called next."""
        self._refusal = status, problem
        raise ValueError(problem)

    def send_400_response(self, msg: str) -> None:
        """Respond to a head that cannot be parsed, or that is too large."""
        self._refuse(*(self._refusal or (400, msg)))

    def _refuse(self, status: int, problem: str) -> None:
        """Respond, unless another response is under way, and close the connection."""
        self._end_waiting()
        if self.cycle is None or self.cycle.response_complete:
            body = Problem(problem=problem).model_dump_json().encode()
            head = b"content-type: application/json\r\nconnection: close\r\ncontent-length: %d\r\n\r\n" % len(body)
            self.transport.write(STATUS_LINE[status] + head + body)
        self.transport.close()
        self._start_stall_timer()
