"""`tlogic serve`: a live service over an event store."""

import os
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tlogic.cli.application_options import ApplicationOptions
from tlogic.cli.forecasters import ForecasterOptions, other_option_hint
from tlogic.cli.options import Threads
from tlogic.errors import InputError, SettingsError

if TYPE_CHECKING:
    from tlogic.serving.engine.service import Service
    from tlogic.serving.web.settings import AccessSettings

NetworkOption = partial(typer.Option, rich_help_panel="Network")

Port = Annotated[
    int, NetworkOption(help="The port to listen on; 0 selects a free one.", metavar="PORT", min=0, max=65535)
]

_REQUIRED_PACKAGES = (
    "fastapi",
    "fastapi_offline",
    "httpx",
    "nicegui",
    "prometheus_client",
    "sqlalchemy",
    "uvicorn",
)
_SECONDS_PER_UNIT = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400, "week": 604_800}


@dataclass(frozen=True)
class AccessOptions:
    """Who may use the service. Tokens are in files, because other users can see the command line."""

    read_token_file: Annotated[
        Path | None,
        NetworkOption(help="A file with the read token; or set TLOGIC_READ_TOKEN.", metavar="FILE"),
    ] = None
    write_token_file: Annotated[
        Path | None,
        NetworkOption(help="A file with the write token; or set TLOGIC_WRITE_TOKEN.", metavar="FILE"),
    ] = None
    trusted_proxy: Annotated[
        list[str] | None,
        NetworkOption(
            help="A proxy, or a network of proxies, whose X-Forwarded-For header is believed. Repeatable.",
            metavar="ADDRESS",
        ),
    ] = None

    def settings(self) -> "AccessSettings":
        """The access settings with these tokens and proxies."""
        from tlogic.serving.web.settings import AccessSettings

        return AccessSettings(
            read_token=_token(self.read_token_file, "TLOGIC_READ_TOKEN"),
            write_token=_token(self.write_token_file, "TLOGIC_WRITE_TOKEN"),
            trusted_proxies=tuple(self.trusted_proxy or ()),
        )


def serve(
    store: Annotated[
        str,
        typer.Option(
            help="The event store: a file, created if missing, or postgresql://USER@HOST/NAME.",
            metavar="STORE",
        ),
    ],
    forecaster: ForecasterOptions,
    access_options: AccessOptions,
    application: ApplicationOptions,
    host: Annotated[
        str,
        NetworkOption(
            help="The address to listen on; 0.0.0.0 accepts other machines and needs a token.", metavar="ADDRESS"
        ),
    ] = "127.0.0.1",
    port: Port = 8080,
    learn_every: Annotated[
        str | None, typer.Option(help="Learn from all events at this interval, such as 24h.", metavar="TIME")
    ] = None,
    page: Annotated[bool, typer.Option("--page/--no-page", help="Serve the page for browsers beside the API.")] = True,
    threads: Threads = None,
) -> None:
    """Serve forecasts over HTTP and on a web page while events arrive.

    Without MODEL and RULES, the newest version in the STORE is used, or else a scorecard is fitted to its events.
    """
    _require_packages()
    from tlogic.cli.console import wait_for_kernels
    from tlogic.serving import server
    from tlogic.serving.engine.entity_history import entity_edges
    from tlogic.serving.startup import open_service

    forecaster.check()
    access, period = access_options.settings(), None if learn_every is None else seconds_of(learn_every)
    server.check_address(host, access)
    settings = application.settings()
    rules, model = forecaster.rules, forecaster.model
    # The first one is compiled last when a service starts, whatever it forecasts with.
    kernels = [entity_edges] if rules is None and model is None else [entity_edges, forecaster.kernel]

    def open_with_note() -> "Service":
        with wait_for_kernels(*kernels), other_option_hint(rules, model):
            return open_service(store, rules=rules, model=model, settings=settings, threads=threads)

    server.serve(
        open_with_note,
        access,
        host=host,
        port=port,
        learn_every=period,
        page=page,
        secrets=server.secrets_of(access, store),
        on_start=lambda address, name: print(f"Serving {name} at {address}", flush=True),
    )


def serve_sample(port: int, browser: bool, threads: int | None) -> None:
    """Serve the sample world from a temporary store."""
    _require_packages()
    import webbrowser
    from tempfile import TemporaryDirectory
    from threading import Thread

    from tlogic.cli.console import error_console, wait_for_kernels
    from tlogic.events.sample.simulation import sample_events
    from tlogic.serving.engine.entity_history import entity_edges
    from tlogic.serving.server import serve
    from tlogic.serving.startup import open_service
    from tlogic.serving.store.encoded_events import EncodedEvents
    from tlogic.serving.store.event_store import EventStore
    from tlogic.serving.web.settings import AccessSettings

    def on_start(address: str, _: str) -> None:
        print(f"Serving the sample world at {address}; stop with Ctrl+C.", flush=True)
        if browser:
            Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    error_console.print("Fitting a model to the sample world.")
    with (
        wait_for_kernels(entity_edges),
        TemporaryDirectory() as folder,
        EventStore.open(f"{folder}/events.db") as store,
    ):
        store.add(EncodedEvents.from_table(sample_events()))
        serve(lambda: open_service(store, threads=threads), AccessSettings(), port=port, on_start=on_start)


def seconds_of(period: str) -> float:
    """Convert a time such as 24h or 30m to seconds.

    >>> seconds_of("24h")
    86400.0
    """
    from tlogic.events.time_steps import parse_step

    step = parse_step(period)
    if step.unit not in _SECONDS_PER_UNIT:
        raise SettingsError(f"--learn-every: expected a time such as 30m, 24h or 7d; found {period!r}.")
    return float(step.count * _SECONDS_PER_UNIT[step.unit])


def _token(file: Path | None, variable: str) -> str | None:
    if file is None:
        return os.environ.get(variable) or None
    try:
        token = file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"The token file {file} cannot be read ({type(error).__name__}).") from None
    if not token:
        raise InputError(f"The token file {file} is empty.")
    return token


def _require_packages() -> None:
    try:
        for name in _REQUIRED_PACKAGES:
            import_module(name)
    except ImportError as error:
        raise InputError(f"The service needs a missing package ({error}); pip install 'tlogic[serve]'.") from None
