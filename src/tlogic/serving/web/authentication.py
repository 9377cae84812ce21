"""Authentication middleware: bearer tokens, login cookies, and protection against cross-site requests."""

from ipaddress import IPv6Address, ip_address, ip_network
from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tlogic.serving.web.problems import ProblemError, send_problem
from tlogic.serving.web.rate_limit import RateLimiter
from tlogic.serving.web.settings import ROLE, AccessSettings, Role

COOKIE = "tlogic_login"
GUESSES_PER_SECOND, MAX_GUESSES_AT_ONCE = 5.0, 50
"""Requests without a valid token that one address may send."""
OPEN_PATHS = ("/health", "/login")

_SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
# These POST requests only read: a batch of queries, or a watchlist, does not fit into a URL.
_READING_POSTS = ("/api/forecasts", "/api/outlook")
# These are cheap. The page loads many small files.
_UNLIMITED_PATHS = ("/_nicegui", "/docs", "/favicon.ico", "/health", "/login", "/metrics", "/openapi.json")
_SECURITY_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # With no-referrer, browsers would also hide the origin of the login form.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_API_CONTENT_POLICY = "default-src 'none'; frame-ancestors 'none'"
# NiceGUI compiles its templates in the browser, which needs unsafe-eval.
_PAGE_CONTENT_POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; object-src 'none'; base-uri 'self'; "
    "form-action 'self'; frame-ancestors 'none'"
)


def is_loopback(host: str) -> bool:
    """True if a host name or address refers to this machine only.

    >>> is_loopback("localhost"), is_loopback("::1"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    try:
        return host.lower() == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


class AuthenticationMiddleware:
    """Checks role, origin and request rate of HTTP requests and web sockets before the application sees them."""

    def __init__(self, app: ASGIApp, access: AccessSettings, guesses: "GuessLimiter | None" = None) -> None:
        self._app, self._access = app, access
        self._rate_limiter = RateLimiter(access.rate, access.burst)
        self._guesses = guesses or GuessLimiter(access)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            return await self._app(scope, receive, send)
        request, send = HTTPConnection(scope), _with_security_headers(scope, send)
        try:
            self._check(request)
        except ProblemError as problem:
            if problem.status == 401 and _is_browser(request):
                return await RedirectResponse("/login", 303)(scope, receive, send)
            return await send_problem(problem, scope, receive, send)
        return await self._app(scope, receive, send)

    def _check(self, request: HTTPConnection) -> None:
        scope = request.scope
        role, has_token = self._authenticate(request)
        scope[ROLE] = role
        if self._access.is_local_only:
            _check_host(request)
        if not has_token:
            _check_origin(request)
        self._check_rate(request, role)
        if scope["path"] not in OPEN_PATHS:
            self._check_role(role, _required_role(scope))
        _check_content_type(request)

    def _authenticate(self, request: HTTPConnection) -> tuple[Role, bool]:
        """The role of a request, and whether it has a bearer token, which a foreign website cannot send."""
        if self._access.is_local_only:
            return Role.writer, False
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return self._access.role_of(token.strip()), True
        return self._access.role_of_cookie(request.cookies.get(COOKIE, "")), False

    def _check_rate(self, request: HTTPConnection, role: Role) -> None:
        path = request.scope["path"]
        if role is Role.stranger:
            if path not in OPEN_PATHS:  # these cost no more than a refusal, and /login counts its guesses itself
                self._guesses.count(request)
        elif not path.startswith(_UNLIMITED_PATHS):
            client = _address(request) if self._access.is_local_only else f"token:{role.name}"
            _check_wait(self._rate_limiter.wait(client), self._access.rate)

    def _check_role(self, role: Role, required: Role) -> None:
        if role >= required:
            return
        if role and self._access.write_token:
            raise ProblemError(403, "This token is read-only; this request needs the write token.")
        if role:
            raise ProblemError(403, "This token is read-only, and the service has no write token; start it with one.")
        message = "Send a token of this service as `Authorization: Bearer TOKEN`, or log in at /login."
        raise ProblemError(401, message, WWW_Authenticate="Bearer")


class GuessLimiter:
    """Limits requests without a valid token, by the address of the client.

    Requests with a valid token have a limit of their own, so strangers at the same address cannot use it up.
    """

    def __init__(self, access: AccessSettings) -> None:
        self._rate = min(access.rate, GUESSES_PER_SECOND)
        self._limiter = RateLimiter(self._rate, min(access.burst, MAX_GUESSES_AT_ONCE))

    def count(self, request: HTTPConnection) -> None:
        """Count a request without a valid token; raises a problem with status 429 if there are too many."""
        _check_wait(self._limiter.wait(_address(request)), self._rate)


def _check_wait(wait: float, rate: float) -> None:
    if wait:
        seconds = str(int(wait) + 1)
        message = f"Too many requests; the limit is {rate:g} per second. Try again in {seconds} s."
        raise ProblemError(429, message, Retry_After=seconds)


def _address(request: HTTPConnection) -> str:
    """The address of the client; for IPv6 its network, because a client there has very many addresses."""
    host = request.client.host if request.client else ""
    try:
        address = ip_address(host)
    except ValueError:
        return host
    return str(ip_network((int(address) >> 64 << 64, 64))) if isinstance(address, IPv6Address) else host


def _required_role(scope: Scope) -> Role:
    if scope["type"] != "http" or scope["method"] in _SAFE_METHODS:
        return Role.reader
    writes = scope["path"].startswith("/api/") and scope["path"] not in _READING_POSTS
    return Role.writer if writes else Role.reader


def _check_host(request: HTTPConnection) -> None:
    """Refuse foreign host names, which DNS rebinding could point at this machine."""
    if not is_loopback(_host_name(request.headers.get("host", ""))):
        raise ProblemError(
            403,
            "This service has no tokens, so only local requests to localhost or 127.0.0.1 are accepted. "
            "To reach it by another name, start it with TLOGIC_READ_TOKEN or TLOGIC_WRITE_TOKEN.",
        )


def _check_origin(request: HTTPConnection) -> None:
    """Refuse writes, web sockets and background requests that another website started in a browser."""
    scope, origin = request.scope, request.headers.get("origin")
    is_safe = scope["type"] == "http" and scope["method"] in _SAFE_METHODS
    is_foreign = origin is not None and urlsplit(origin).netloc.lower() != request.headers.get("host", "").lower()
    if (is_foreign and not is_safe) or _is_sent_by_another_website(request):
        raise ProblemError(403, "Cross-site requests are not allowed; this request comes from another website.")


def _is_sent_by_another_website(request: HTTPConnection) -> bool:
    """Whether a website sent it in the background. A click on a link to a view is not refused.

    Browsers send these headers; a website cannot change them.
    """
    header = request.headers.get
    if header("sec-fetch-site") not in ("cross-site", "same-site"):
        return False
    is_click = header("sec-fetch-mode") == "navigate" and header("sec-fetch-user") == "?1"
    return not (is_click and header("sec-fetch-dest") == "document" and request.scope.get("method") == "GET")


def _check_content_type(request: HTTPConnection) -> None:
    """Refuse content types other than JSON, which a form on any website can send."""
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


def _with_security_headers(scope: Scope, send: Send) -> Send:
    is_page = not scope["path"].startswith(("/api/", "/health", "/metrics", "/openapi.json"))

    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.update(_SECURITY_HEADERS)
            headers["Content-Security-Policy"] = _PAGE_CONTENT_POLICY if is_page else _API_CONTENT_POLICY
            if not is_page:
                headers["Cache-Control"] = "no-store"
        await send(message)

    return send_with_headers
