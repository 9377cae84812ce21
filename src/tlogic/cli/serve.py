"""`tlogic serve`: a live service over a store of events."""

import os
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tlogic.cli.options import ApplicationOptions, Threads
from tlogic.errors import InputError, SettingsError

if TYPE_CHECKING:
    from tlogic.serving.engine.service import Service
    from tlogic.serving.web.authentication import AccessSettings

Port = Annotated[int, typer.Option(help="The port to listen at; 0 finds a free one.", min=0, max=65535)]

_PACKAGES = (
    "fastapi",
    "fastapi_offline",
    "httpx",
    "nicegui",
    "prometheus_client",
    "rapidfuzz",
    "sqlalchemy",
    "uvicorn",
)
_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400, "week": 604_800}


@dataclass(frozen=True)
class TokenOptions:
    """Where tokens are; they are no options themselves, which others on the machine could see."""

    read_token_file: Annotated[
        Path | None,
        typer.Option(help="A file with the token for reading; or set TLOGIC_READ_TOKEN.", metavar="FILE"),
    ] = None
    write_token_file: Annotated[
        Path | None,
        typer.Option(help="A file with the token for reading and writing; or TLOGIC_WRITE_TOKEN.", metavar="FILE"),
    ] = None

    def guard(self) -> "AccessSettings":
        """Who may ask."""
        from tlogic.serving.web.authentication import AccessSettings

        return AccessSettings(
            read_token=_token(self.read_token_file, "TLOGIC_READ_TOKEN"),
            write_token=_token(self.write_token_file, "TLOGIC_WRITE_TOKEN"),
        )


def serve(
    application: ApplicationOptions,
    tokens: TokenOptions,
    store: Annotated[
        str,
        typer.Option(
            help="Where events are kept: a file, made if it is missing, or postgresql://USER@HOST/NAME.",
            metavar="STORE",
        ),
    ],
    rules: Annotated[Path | None, typer.Option(help="The rule file to answer by.", metavar="RULES")] = None,
    model: Annotated[Path | None, typer.Option(help="A model to answer by.", metavar="MODEL")] = None,
    host: Annotated[
        str, typer.Option(help="The address to listen at; others can reach 0.0.0.0, which needs a token.")
    ] = "127.0.0.1",
    port: Port = 8080,
    learn_every: Annotated[
        str | None, typer.Option(help="Learn anew after this time, again and again, such as 24h.", metavar="TIME")
    ] = None,
    page: Annotated[bool, typer.Option("--page/--no-page", help="Serve the page for people beside the API.")] = True,
    threads: Threads = None,
) -> None:
    """Answer questions over HTTP, and on a page, while events come in.

    Without RULES and MODEL, the newest version in the STORE answers, or rules that are learned from its events.
    """
    _require_packages()
    from tlogic.cli.console import wait_for_kernels
    from tlogic.forecasting.application import apply_rules
    from tlogic.serving import server
    from tlogic.serving.startup import open_service

    guard, period = tokens.guard(), None if learn_every is None else seconds_of(learn_every)
    server.check_address(host, guard)
    settings = application.settings()

    def open_it() -> "Service":
        with wait_for_kernels(apply_rules):
            return open_service(store, rules=rules, model=model, settings=settings, threads=threads)

    server.serve(
        open_it,
        guard,
        host=host,
        port=port,
        learn_every=period,
        page=page,
        secrets=server.secrets_of(guard, store),
        opened=lambda address, name: print(f"Serving {name} at {address}", flush=True),
    )


def serve_sample(port: int, browser: bool, threads: int | None) -> None:
    """Serve the sample world from a store that is gone afterwards."""
    _require_packages()
    import webbrowser
    from tempfile import TemporaryDirectory
    from threading import Thread

    from tlogic.cli.console import error_console
    from tlogic.events.sample.simulation import sample_events
    from tlogic.serving.server import serve
    from tlogic.serving.startup import open_service
    from tlogic.serving.store.encoded_events import EncodedEvents
    from tlogic.serving.store.event_store import EventStore
    from tlogic.serving.web.authentication import AccessSettings

    def opened(address: str, _: str) -> None:
        print(f"The sample world is at {address}; end with Ctrl+C.", flush=True)
        if browser:
            Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    error_console.print("Learning the rules of the sample live_store.")
    with TemporaryDirectory() as folder, EventStore.open(f"{folder}/events.db") as store:
        store.add(EncodedEvents.from_table(sample_events()))
        serve(lambda: open_service(store, threads=threads), AccessSettings(), port=port, opened=opened)


def seconds_of(period: str) -> float:
    """A time such as 24h or 30m in seconds.

    >>> seconds_of("24h")
    86400.0
    """
    from tlogic.events.time_steps import parse_step

    step = parse_step(period)
    if step.unit not in _SECONDS:
        raise SettingsError(f"Expected a time such as 30m, 24h or 7d; found {period!r}.")
    return float(step.count * _SECONDS[step.unit])


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
        for name in _PACKAGES:
            import_module(name)
    except ImportError as error:
        raise InputError(f"A service needs more packages ({error}); pip install 'tlogic[serve]'.") from None
