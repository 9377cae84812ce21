"""Malformed requests over raw sockets."""

import random
import socket
import tempfile
from pathlib import Path

import tlogic
from benchmarks.soak.record import Budget, Record
from benchmarks.soak.service_process import ServiceProcess
from tlogic.rules import parse_rule

PROMISE = "No bytes that somebody sends stop the service or make it answer with a server error."
_HOST = b"HTTP/1.1\r\nHost: 127.0.0.1\r\n"
_SEEDS = (
    b"GET /health " + _HOST + b"\r\n",
    b"POST /api/forecasts " + _HOST + b'Content-Type: application/json\r\nContent-Length: 15\r\n\r\n{"queries": []}',
    b"POST /api/events " + _HOST + b'Transfer-Encoding: chunked\r\n\r\n5\r\n{"eve\r\n0\r\n\r\n',
    b"GET /api/entities?search=%00%ff&limit=-1 " + _HOST + b"\r\n",
    b"GET / " + _HOST + b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: eA==\r\n\r\n",
)
_REQUESTS_PER_ROUND = 50


def measure(budget: Budget) -> Record:
    """Send mutated requests, and ask for the health of the service after each round."""
    chance, sent, server_errors, unhealthy = random.Random(7), 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        rules = Path(folder, "some.rules")
        tlogic.RuleSet((parse_rule("1/2 meet(X, Y, T2) <- visit(X, Y, T1)"),)).save(rules)
        service = ServiceProcess(str(Path(folder, "events.db")), rules)
        try:
            for _ in budget.rounds():
                for _ in range(_REQUESTS_PER_ROUND):
                    server_errors += _send(service.port, _mutated(chance))
                    sent += 1
                unhealthy += not service.is_healthy()
        finally:
            service.kill()
    return Record(PROMISE, f"{sent:,} malformed requests", server_errors + unhealthy)


def _mutated(chance: random.Random) -> bytes:
    content = bytearray(chance.choice(_SEEDS))
    for _ in range(chance.randint(1, 8)):
        where = chance.randrange(len(content))
        match chance.randrange(4):
            case 0:
                content[where] = chance.randrange(256)
            case 1:
                del content[where : where + chance.randint(1, 20)]
            case 2:
                content[where:where] = chance.randbytes(chance.randint(1, 40))
            case _:
                content[where:where] = content[where : where + 30] * chance.randint(1, 50)
        if not content:
            return b"\r\n"
    return bytes(content)


def _send(port: int, content: bytes) -> bool:
    """Whether the service answers with an unexpected server error."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.settimeout(0.3)
        try:
            connection.sendall(content)
            answer = connection.recv(200)
        except OSError:
            return False
    return b" 500 " in answer.partition(b"\r\n")[0]
