"""Runs a service in a web server until the process receives a signal."""

import gc
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import uvicorn

from tlogic.errors import SettingsError
from tlogic.events.sources.databases import is_database_url, parse_url
from tlogic.serving.engine.follower import StoreFollower
from tlogic.serving.engine.service import Service
from tlogic.serving.logs import configure_logs, log
from tlogic.serving.startup import warm_up
from tlogic.serving.web.authentication import is_loopback
from tlogic.serving.web.connections import ConnectionLimits, ConnectionPool, LimitedProtocol
from tlogic.serving.web.settings import AccessSettings
from tlogic.serving.web.web_app import create_app

_MAX_WEB_SOCKET_MESSAGE = 2**20
# Writes wait for the disk many times. Each time, they get the interpreter back from forecasts after this time.
_SWITCH_SECONDS = 0.001
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def check_address(host: str, access: AccessSettings) -> None:
    """Refuse to listen on a public address without tokens.

    >>> check_address("127.0.0.1", AccessSettings())
    """
    if access.is_local_only and not is_loopback(host):
        raise SettingsError(
            f"Other machines can reach the service on host {host}, so it needs a token. Set TLOGIC_READ_TOKEN or "
            "TLOGIC_WRITE_TOKEN, or give --read-token-file or --write-token-file, or leave out --host.\n"
            "Generate a token with `python -c 'import secrets; print(secrets.token_urlsafe(32))'`."
        )


def secrets_of(access: AccessSettings, store: str) -> list[str]:
    """The secrets to remove from the logs: tokens and the database password.

    >>> secrets_of(AccessSettings(), "postgresql://ann:secret@host/events")
    ['secret']
    """
    url = parse_url(store) if is_database_url(store) else None
    passwords = (url.password, url.query.get("password")) if url else ()
    return [str(each) for each in (access.read_token, access.write_token, *passwords) if each]


def serve(
    open_service: Callable[[], Service],
    access: AccessSettings,
    *,
    host: str = "127.0.0.1",
    port: int = 8080,
    learn_every: float | None = None,
    page: bool = True,
    secrets: list[str] | None = None,
    on_start: Callable[[str, str], None] = print,
) -> None:
    """Serve until SIGTERM or SIGINT, then finish running requests and close the store.

    Args:
        open_service: Opens the service. It is called after the port is bound, so that nothing is changed if the port
            is in use.
        access: Tokens and limits.
        host: The address to listen on.
        port: The port; 0 selects a free one.
        learn_every: Seconds between two runs of learning.
        page: Whether to serve the page beside the API.
        secrets: Texts to remove from the logs.
        on_start: Called with the address and the name of the store once the service accepts requests.

    Raises:
        SettingsError: If the port is in use, or if a public address has no tokens.
    """
    check_address(host, access)
    configure_logs(secrets or [])
    if access.write_token is not None and access.read_token == access.write_token:
        log.warning("The read token equals the write token, so everyone who may read may also write; set another one.")
    gc.enable()  # the command line disables it, since most commands are short
    sys.setswitchinterval(_SWITCH_SECONDS)
    with _bind(host, port) as listener:
        service = open_service()
        warm_up(service)
        service.versions.save_memory()
        server = uvicorn.Server(server_config(create_app(service, access, page=page), access))
        follower = StoreFollower(service, learn_every)
        follower.start()
        address = _address(host, listener)
        log.info("serving", extra={"fields": {"address": address}})
        on_start(address, service.live_store.store.name)
        try:
            with _stop_on_signals(server):
                server.run(sockets=[listener])
        finally:
            follower.stop()
            service.versions.save_memory()
            service.live_store.store.close()
            log.info("stopped")
            threading.excepthook = lambda _: None  # learning that is interrupted by the exit is not an error


def server_config(
    app: object, access: AccessSettings, limits: ConnectionLimits | None = None, port: int = 0
) -> uvicorn.Config:
    """The settings of the web server.

    Args:
        app: The web application.
        access: The same settings as those of the application.
        limits: The limits of connections; by default, those of this process.
        port: The port, if the server gets no socket; 0 selects a free one.

    Returns:
        The settings.

    >>> server_config(None, AccessSettings()).proxy_headers
    False
    """
    pool = ConnectionPool(limits or ConnectionLimits.of_this_process())
    return uvicorn.Config(
        app,  # type: ignore[arg-type]
        port=port,
        http=partial(LimitedProtocol, pool),  # type: ignore[arg-type]
        ws_max_size=_MAX_WEB_SOCKET_MESSAGE,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=bool(access.trusted_proxies),
        forwarded_allow_ips=list(access.trusted_proxies),
        timeout_graceful_shutdown=int(access.timeout) + 5,
    )


@contextmanager
def _bind(host: str, port: int) -> Iterator[socket.socket]:
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        listener = socket.create_server(address[:2], family=family, backlog=2048)
    except (OSError, OverflowError) as error:
        raise SettingsError(
            f"Cannot listen on host {host}, port {port} ({error}); choose another --port or --host."
        ) from None
    with listener:
        yield listener


def _address(host: str, listener: socket.socket) -> str:
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{listener.getsockname()[1]}"


@contextmanager
def _stop_on_signals(server: uvicorn.Server) -> Iterator[None]:
    """Shut the server down on a signal. Uvicorn itself would raise the signal again and end the process by it."""

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
