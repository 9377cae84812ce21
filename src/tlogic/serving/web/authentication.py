"""Who may ask what: tokens, and what keeps the websites in a browser away from a service that has none."""

import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tlogic.errors import SettingsError
from tlogic.serving.web.problems import ProblemError, send_problem
from tlogic.serving.web.request_limits import RateLimiter

COOKIE = "tlogic_login"
OPEN_PATHS = ("/health", "/login")
ROLE = "tlogic.role"
"""Where the scope of a request says who asks."""

_FEWEST_CHARACTERS = 16
_SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
# It asks, but for more than fits into an address.
_QUESTIONS = "/api/forecasts"
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # With no-referrer, browsers would not say either that the login form is sent from here.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_NOTHING_LOADS = "default-src 'none'; frame-ancestors 'none'"
# NiceGUI compiles its templates in the browser.
_PAGE_LOADS = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; object-src 'none'; base-uri 'self'; "
    "form-action 'self'; frame-ancestors 'none'"
)


class Role(IntEnum):
    """Who asks; whoever may write may also read."""

    stranger = 0
    reader = 1
    writer = 2


@dataclass(frozen=True)
class AccessSettings:
    """Who may ask, how often and how much.

    Without tokens everybody may do everything, but only from this very machine. With any token, all but ``/health``
    needs one; without a token for writing, nobody can write.

    Args:
        read_token: Who sends it may ask.
        write_token: Who sends it may also add events, learn and switch versions.
        max_body: How many bytes a request may have.
        rate: How many requests a second a token, or an address, may send in the long run.
        burst: How many it may send at once.
        timeout: After how many seconds a request is given up.
        patience: How many seconds a request waits for others before it is told to come again.

    >>> guard = AccessSettings(read_token="a-token-for-reading")
    >>> guard.role_of("a-token-for-reading"), guard.role_of("a-guess")
    (<Role.reader: 1>, <Role.stranger: 0>)
    """

    read_token: str | None = field(default=None, repr=False)
    write_token: str | None = field(default=None, repr=False)
    max_body: int = 16 * 2**20
    rate: float = 100.0
    burst: int = 500
    timeout: float = 60.0
    patience: float = 10.0

    def __post_init__(self) -> None:
        for name in ("read_token", "write_token"):
            _check_token(name, getattr(self, name))
        for name in ("max_body", "rate", "burst", "timeout", "patience"):
            if not getattr(self, name) > 0:
                raise SettingsError(f"The {name} of a guard must be more than 0, not {getattr(self, name)}.")

    @property
    def is_open(self) -> bool:
        """Are there no tokens?"""
        return self.read_token is None and self.write_token is None

    def role_of(self, token: str) -> Role:
        """What the sender of a token may do."""
        return self._role(token, {Role.reader: self.read_token, Role.writer: self.write_token})

    def role_of_cookie(self, cookie: str) -> Role:
        """What the sender of a cookie may do."""
        return self._role(cookie, {role: _cookie(token) for role, token in self._tokens().items()})

    def cookie_of(self, role: Role) -> str:
        """What a browser keeps after a login; the token cannot be found from it."""
        return _cookie(self._tokens()[role])

    def _tokens(self) -> dict[Role, str]:
        tokens = {Role.reader: self.read_token, Role.writer: self.write_token}
        return {role: token for role, token in tokens.items() if token is not None}

    def _role(self, given: str, expected: Mapping[Role, str | None]) -> Role:
        # All are compared, whatever the first one says, so that the time it takes tells nothing.
        fits = [
            role
            for role, secret in expected.items()
            if secret is not None and hmac.compare_digest(given.encode("utf-8", "replace"), secret.encode())
        ]
        return max(fits, default=Role.stranger)


def is_loopback(host: str) -> bool:
    """Is this a name of this very machine, which others cannot reach?

    >>> is_loopback("localhost"), is_loopback("::1"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    try:
        return host.lower() == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


class AuthenticationMiddleware:
    """Middleware that lets in whom the guard allows, be it by a request or by the web socket of the page."""

    def __init__(self, app: ASGIApp, guard: AccessSettings) -> None:
        self._app, self._guard = app, guard
        self._rates = RateLimiter(guard.rate, guard.burst)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or send_problem it."""
        if scope["type"] not in ("http", "websocket"):
            return await self._app(scope, receive, send)
        request, send = HTTPConnection(scope), _with_headers(scope, send)
        try:
            self._admit(request)
        except ProblemError as refusal:
            if refusal.status == 401 and _is_browser(request):
                return await RedirectResponse("/login", 303)(scope, receive, send)
            return await send_problem(refusal, scope, receive, send)
        return await self._app(scope, receive, send)

    def _admit(self, request: HTTPConnection) -> None:
        scope = request.scope
        role, by_token = self._who(request)
        scope[ROLE] = role
        if self._guard.is_open:
            _check_host(request)
        if not by_token:
            _check_origin(request)
        self._check_rate(request, role)
        if scope["path"] not in OPEN_PATHS:
            self._check_role(role, _needed_role(scope))
        _check_content_type(request)

    def _who(self, request: HTTPConnection) -> tuple[Role, bool]:
        """Who asks, and whether that is known from a token, which no website can make a browser send."""
        if self._guard.is_open:
            return Role.writer, False
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return self._guard.role_of(token.strip()), True
        return self._guard.role_of_cookie(request.cookies.get(COOKIE, "")), False

    def _check_rate(self, request: HTTPConnection, role: Role) -> None:
        if role and not request.scope["path"].startswith("/api/"):
            return  # a page loads many small files
        known = role and not self._guard.is_open
        asker = f"the token of a {role.name}" if known else request.client.host if request.client else ""
        wait = self._rates.wait(asker)
        if wait:
            seconds = str(int(wait) + 1)
            problem = f"Too many requests; {self._guard.rate:g} a second are allowed. Try again in {seconds} s."
            raise ProblemError(429, problem, Retry_After=seconds)

    def _check_role(self, role: Role, needed: Role) -> None:
        if role >= needed:
            return
        if role:
            allowed = "a token for writing" if self._guard.write_token else "that the service has a token for writing"
            raise ProblemError(403, f"This token is for reading; what you ask for needs {allowed}.")
        problem = "Send a token of this service as `Authorization: Bearer TOKEN`, or log in at /login."
        raise ProblemError(401, problem, WWW_Authenticate="Bearer")


def _check_token(name: str, token: str | None) -> None:
    if token is None:
        return
    if len(token) < _FEWEST_CHARACTERS or not token.isascii() or not token.isprintable() or " " in token:
        raise SettingsError(
            f"The {name.replace('_', ' ')} must have {_FEWEST_CHARACTERS} or more letters, digits or signs, and no "
            "blanks; `python -c 'import secrets; print(secrets.token_urlsafe(32))'` makes a good one."
        )


def _cookie(token: str) -> str:
    return hmac.new(token.encode(), b"tlogic login", "sha256").hexdigest()


def _needed_role(scope: Scope) -> Role:
    writes = scope["type"] == "http" and scope["method"] not in _SAFE_METHODS
    return Role.writer if writes and scope["path"].startswith("/api/") and scope["path"] != _QUESTIONS else Role.reader


def _check_host(request: HTTPConnection) -> None:
    """Without tokens: a website could give its own name the address of this machine."""
    if not is_loopback(_host_name(request.headers.get("host", ""))):
        raise ProblemError(
            403,
            "This service has no tokens, so it answers this machine alone, under localhost or 127.0.0.1. "
            "To reach it by another name, start it with TLOGIC_READ_TOKEN or TLOGIC_WRITE_TOKEN.",
        )


def _check_origin(request: HTTPConnection) -> None:
    """A browser says from which website a request comes that changes things, or opens a web socket."""
    scope, origin = request.scope, request.headers.get("origin")
    asks = scope["type"] == "http" and scope["method"] in _SAFE_METHODS
    if origin is None or asks:
        return
    if urlsplit(origin).netloc.lower() != request.headers.get("host", "").lower():
        raise ProblemError(403, "This request comes from another website, which may not do that.")


def _check_content_type(request: HTTPConnection) -> None:
    """Other types can be sent by the forms of any website."""
    scope, given = request.scope, request.headers.get("content-type", "")
    if scope["type"] != "http" or scope["method"] in _SAFE_METHODS or not scope["path"].startswith("/api/"):
        return
    if given and given.partition(";")[0].strip().lower() != "application/json":
        raise ProblemError(415, "Send JSON, with the header Content-Type: application/json.")


def _host_name(host: str) -> str:
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _is_browser(request: HTTPConnection) -> bool:
    scope = request.scope
    return scope["type"] == "http" and scope["method"] == "GET" and "text/html" in request.headers.get("accept", "")


def _with_headers(scope: Scope, send: Send) -> Send:
    is_page = not scope["path"].startswith(("/api/", "/health", "/metrics", "/openapi.json"))

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.update(_HEADERS)
            headers["Content-Security-Policy"] = _PAGE_LOADS if is_page else _NOTHING_LOADS
            if not is_page:
                headers["Cache-Control"] = "no-store"
        await send(message)

    return sent
