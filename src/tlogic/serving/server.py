"""Running a service: one process that listens until it is told to stop, and then finishes what it began."""

import gc
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import uvicorn

from tlogic.errors import SettingsError
from tlogic.events.sources.databases import is_database_url, parse_url
from tlogic.serving.engine.service import Service
from tlogic.serving.logs import log, write_logs
from tlogic.serving.startup import Follower, warm_up
from tlogic.serving.web.authentication import AccessSettings, is_loopback
from tlogic.serving.web.routes import create_app

# A name of 10,000 characters takes up to 120,000 in an address.
_LONGEST_HEAD = 2**20
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def check_address(host: str, guard: AccessSettings) -> None:
    """Refuse to listen where others can reach a service that has no tokens.

    >>> check_address("127.0.0.1", AccessSettings())
    """
    if guard.is_open and not is_loopback(host):
        raise SettingsError(
            f"With the host {host} others can reach this service, so it needs a token. Set TLOGIC_READ_TOKEN or "
            "TLOGIC_WRITE_TOKEN, or give --read-token-file or --write-token-file, or leave out --host.\n"
            "`python -c 'import secrets; print(secrets.token_urlsafe(32))'` makes a token."
        )


def secrets_of(guard: AccessSettings, store: str) -> list[str]:
    """What must not be seen in a log: tokens, and the password of a database.

    >>> secrets_of(AccessSettings(), "postgresql://ann:secret@host/events")
    ['secret']
    """
    url = parse_url(store) if is_database_url(store) else None
    passwords = (url.password, url.query.get("password")) if url else ()
    return [str(each) for each in (guard.read_token, guard.write_token, *passwords) if each]


def serve(
    open_it: Callable[[], Service],
    guard: AccessSettings,
    *,
    host: str = "127.0.0.1",
    port: int = 8080,
    learn_every: float | None = None,
    page: bool = True,
    secrets: list[str] | None = None,
    opened: Callable[[str, str], None] = print,
) -> None:
    """Serve until SIGTERM or SIGINT; requests that are under way are finished, and the store is closed.

    Args:
        open_it: Opens what is served. It is called once the port is ours, so that a service which cannot listen
            changes nothing.
        guard: Who may ask.
        host: The address to listen at.
        port: The port; 0 finds a free one.
        learn_every: Learn anew after so many seconds, again and again.
        page: Serve the page for people too.
        secrets: What must not be seen in the log.
        opened: Told the address and the name of the store, once the service can be reached.
    """
    check_address(host, guard)
    write_logs(secrets or [])
    gc.enable()  # which a command disables, because most end soon
    with _listening(host, port) as listener:
        service = open_it()
        warm_up(service)
        server = uvicorn.Server(_config(create_app(service, guard, page=page), guard))
        follower = Follower(service, learn_every)
        follower.start()
        address = _address(host, listener)
        log.info("serving", extra={"fields": {"address": address}})
        opened(address, service.live_store.store.name)
        try:
            with _stopped_by_signals(server):
                server.run(sockets=[listener])
        finally:
            follower.stop()
            service.live_store.store.close()
            log.info("stopped")
            threading.excepthook = lambda _: None  # to learn is given up at the end of the process, and no error


def _config(app: object, guard: AccessSettings) -> uvicorn.Config:
    return uvicorn.Config(
        app,  # type: ignore[arg-type]
        log_config=None,
        access_log=False,
        server_header=False,
        h11_max_incomplete_event_size=_LONGEST_HEAD,
        timeout_graceful_shutdown=int(guard.timeout) + 5,
    )


@contextmanager
def _listening(host: str, port: int) -> Iterator[socket.socket]:
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        listener = socket.create_server(address[:2], family=family, backlog=2048)
    except (OSError, OverflowError) as error:
        raise SettingsError(
            f"Cannot listen at {host}, port {port} ({error}); choose another --port or --host."
        ) from None
    with listener:
        yield listener


def _address(host: str, listener: socket.socket) -> str:
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{listener.getsockname()[1]}"


@contextmanager
def _stopped_by_signals(server: uvicorn.Server) -> Iterator[None]:
    """The server ends well on a signal, which it would otherwise hand on to end the process by it."""

    def stop(*_: object) -> None:
        server.should_exit = True

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, stop) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
