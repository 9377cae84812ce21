"""Limits of connections before any request is complete: sizes, times and numbers, seen through raw sockets."""

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from threading import Thread
from typing import Any

import httpx
import pytest
import uvicorn

from tests.waiting import PATIENCE, wait_until
from tlogic.serving import AccessSettings
from tlogic.serving.server import server_config
from tlogic.serving.web.connections import MAX_HEADER_LINES, ConnectionLimits

SOON = ConnectionLimits(head_timeout=0.5, write_timeout=0.5)
GET = b"GET / HTTP/1.1\r\nHost: localhost\r\n"
MEGABYTE = 2**20


async def answer(scope: Any, receive: Any, send: Any) -> None:
    """A small response; 64 MB at /large, and none at /wait until the client leaves. Web sockets are accepted."""
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})
        await receive()
    if scope["type"] == "http":
        while scope["path"] == "/wait" and (await receive())["type"] != "http.disconnect":
            pass
        body = bytes(64 * MEGABYTE) if scope["path"] == "/large" else b"ok"
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": body})


@contextmanager
def server(limits: ConnectionLimits | None = None) -> Iterator[uvicorn.Server]:
    """A web server with the limits of a service."""
    running = uvicorn.Server(server_config(answer, AccessSettings(), limits))
    thread = Thread(target=running.run)
    thread.start()
    try:
        wait_until(lambda: running.started)
        yield running
    finally:
        running.should_exit = True
        thread.join()


def connect(running: uvicorn.Server) -> socket.socket:
    return socket.create_connection(running.servers[0].sockets[0].getsockname(), timeout=PATIENCE)


def is_answered(running: uvicorn.Server) -> bool:
    """Whether a normal client gets its response."""
    host, port = running.servers[0].sockets[0].getsockname()
    return httpx.get(f"http://{host}:{port}/", timeout=PATIENCE).text == "ok"


def received(connection: socket.socket) -> bytes:
    """All data until the connection is closed or reset."""
    data = b""
    with suppress(ConnectionError):
        while part := connection.recv(MEGABYTE):
            data += part
    return data


def sent_until_closed(connection: socket.socket, part: bytes, n_parts: int) -> int:
    """The number of parts that the server takes before it closes the connection."""
    for number in range(n_parts):
        try:
            connection.sendall(part)
        except ConnectionError:
            return number
    return n_parts


# Web sockets


@pytest.mark.parametrize("before", [b"", GET + b"\r\n"], ids=["new connection", "used connection"])
def test_web_sockets_are_opened(before: bytes) -> None:
    upgrade = b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    with server(SOON) as running, connect(running) as connection:
        if before:
            connection.sendall(before)
            assert connection.recv(MEGABYTE).startswith(b"HTTP/1.1 200 ")
        connection.sendall(GET + upgrade + b"Sec-WebSocket-Key: x3JJHMbDL1EzLkh9GBhXDw==\r\n\r\n")
        assert connection.recv(MEGABYTE).startswith(b"HTTP/1.1 101 ")


# Sizes


@pytest.mark.parametrize(
    ("beginning", "part"),
    [
        (GET + b"X-Large: ", b"x" * MEGABYTE),
        (GET, b"X-Many: x\r\n" * 100_000),
        (b"GET /", b"x" * MEGABYTE),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX-Trailer: ", b"x" * MEGABYTE),
        (b"", (GET + b"\r\n") * 30_000),
    ],
    ids=["header line", "header lines", "request line", "trailer", "pipelined requests"],
)
def test_endless_heads_are_refused_early(beginning: bytes, part: bytes) -> None:
    with server() as running, connect(running) as connection:
        connection.sendall(beginning)
        assert sent_until_closed(connection, part, 100) < 20  # some stay in the buffers of the sockets
        assert is_answered(running)


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (GET + b"X: " + b"x" * 20_000, 431),
        (GET + (b"X: " + b"x" * 10_000 + b"\r\n") * 7 + b"Y: y", 431),
        (GET + b"X: x\r\n" * MAX_HEADER_LINES + b"Y: y", 431),
        (b"GET /" + b"x" * 70_000 + b" HTTP/1.1\r\nHost: localhost", 414),
        (b"GET /" + b"x" * 65_000 + b" HTTP/1.1\r\nHost: localhost", 200),
        (GET + (b"X: " + b"x" * 10_000 + b"\r\n") * 5 + b"Y: y", 200),
        (b"GET / HTTP/9.9.9", 400),
    ],
    ids=["line", "lines", "number of lines", "long URL", "largest URL", "large head", "malformed"],
)
def test_the_size_of_a_complete_head_is_limited(head: bytes, status: int) -> None:
    with server() as running, connect(running) as connection:
        with suppress(ConnectionError):
            connection.sendall(head + b"\r\nConnection: close\r\n\r\n")
        found = received(connection)
        assert found.startswith(b"HTTP/1.1 %d " % status)
        assert (b'{"problem":' in found) == (status != 200)


# Times


@pytest.mark.parametrize("beginning", [b"", GET, GET + b"\r\n"], ids=["idle", "incomplete head", "after a response"])
def test_a_connection_without_a_complete_head_is_closed(beginning: bytes) -> None:
    with server(SOON) as running, connect(running) as slow:
        slow.sendall(beginning)
        began = time.monotonic()
        with suppress(ConnectionError):
            while time.monotonic() - began < PATIENCE:
                if beginning:
                    slow.sendall(b"\r\n" if beginning.endswith(b"\r\n\r\n") else b"X: x\r\n")  # never idle
                slow.settimeout(0.05)
                with suppress(TimeoutError):
                    if slow.recv(1000) == b"":
                        break
        assert 0.3 < time.monotonic() - began < PATIENCE
        assert is_answered(running)


def test_a_client_that_does_not_read_the_response_is_disconnected() -> None:
    with server(SOON) as running, connect(running) as lazy:
        lazy.sendall(b"GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n")
        wait_until(lambda: len(running.server_state.connections) == 1)
        wait_until(lambda: not running.server_state.connections)
        assert len(received(lazy)) < 64 * MEGABYTE


# Numbers


def test_idle_connections_make_room_for_others() -> None:
    with server(ConnectionLimits(max_connections=20)) as running, ExitStack() as idle:
        connections = [idle.enter_context(connect(running)) for _ in range(60)]
        wait_until(lambda: len(running.server_state.connections) == 20)
        assert is_answered(running)
        assert received(connections[0]) == b""
        connections[-1].sendall(GET + b"Connection: close\r\n\r\n")
        assert received(connections[-1]).endswith(b"ok\r\n0\r\n\r\n")


def test_a_connection_of_another_address_is_not_closed() -> None:
    with server(ConnectionLimits(max_connections=20)) as running, ExitStack() as idle:
        port = running.servers[0].sockets[0].getsockname()[1]
        address = socket.create_connection(("127.0.0.1", port), PATIENCE, source_address=("127.0.0.2", 0))
        other = idle.enter_context(address)
        wait_until(lambda: len(running.server_state.connections) == 1)
        for _ in range(60):
            idle.enter_context(connect(running))
        other.sendall(GET + b"Connection: close\r\n\r\n")
        assert b"ok" in received(other)


def test_connections_are_refused_if_all_have_requests() -> None:
    with server(ConnectionLimits(max_connections=3)) as running, ExitStack() as busy:
        for _ in range(3):
            busy.enter_context(connect(running)).sendall(b"GET /wait HTTP/1.1\r\nHost: localhost\r\n\r\n")
        wait_until(lambda: len(running.server_state.tasks) == 3)
        with connect(running) as refused:
            assert b" 503 " in received(refused)


def test_few_files_allow_few_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("resource.getrlimit", lambda _: (256, 1024))
    assert ConnectionLimits.of_this_process().max_connections == 128
