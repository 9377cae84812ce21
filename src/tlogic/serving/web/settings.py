"""Access settings of a service: tokens, roles and request limits."""

import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from ipaddress import ip_network

from tlogic.errors import SettingsError

MIN_TOKEN_LENGTH = 16
ROLE = "tlogic.role"
"""The key of a request's scope that holds its `Role`."""


class Role(IntEnum):
    """The access level of a request. A higher role includes the lower ones."""

    stranger = 0
    reader = 1
    writer = 2


@dataclass(frozen=True)
class AccessSettings:
    """Who may use a service, and the limits of a request.

    Without tokens, only local requests are accepted, with full access. As soon as one token is set, every path except
    ``/health`` and ``/login`` requires a token. Without a write token, write requests are refused.

    Args:
        read_token: The token that allows reading. At least 16 printable ASCII characters.
        write_token: The token that allows reading and writing: adding events, learning and changing versions.
        max_body: The largest request body, in bytes.
        rate: Requests per second that one token, or one address without a token, may send on average.
        burst: Requests that it may send at once.
        timeout: Seconds after which a request is aborted.
        queue_timeout: Seconds that a request waits for a free worker before the service responds that it is busy.
        trusted_proxies: Addresses or networks of proxies whose ``X-Forwarded-For`` and ``X-Forwarded-Proto`` headers
            are believed, such as "10.0.0.2" or "10.0.0.0/8". By default, those of nobody.

    Raises:
        SettingsError: If a token is too short or cannot be sent in a header, if a limit is not positive, or if a
            proxy is no address.

    Example:
        >>> access = AccessSettings(read_token="a-token-for-reading")
        >>> access.role_of("a-token-for-reading"), access.role_of("a-guess")
        (<Role.reader: 1>, <Role.stranger: 0>)
    """

    read_token: str | None = field(default=None, repr=False)
    write_token: str | None = field(default=None, repr=False)
    max_body: int = 16 * 2**20
    rate: float = 100.0
    burst: int = 500
    timeout: float = 60.0
    queue_timeout: float = 10.0
    trusted_proxies: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("read_token", "write_token"):
            _check_token(name, getattr(self, name))
        for name in ("max_body", "rate", "burst", "timeout", "queue_timeout"):
            if not getattr(self, name) > 0:
                raise SettingsError(f"{name} must be greater than 0; found {getattr(self, name)}.")
        for proxy in self.trusted_proxies:
            _check_proxy(proxy)

    @property
    def is_local_only(self) -> bool:
        """True if no token is set, so that only local requests are accepted.

        Returns:
            Whether both tokens are missing.

        Example:
            >>> AccessSettings().is_local_only
            True
        """
        return self.read_token is None and self.write_token is None

    def role_of(self, token: str) -> Role:
        """The role that a token grants.

        Args:
            token: The token that a client sent.

        Returns:
            ``Role.writer``, ``Role.reader``, or ``Role.stranger`` for an unknown token.

        Example:
            >>> AccessSettings(write_token="a-token-for-writing").role_of("a-token-for-writing")
            <Role.writer: 2>
        """
        return self._role(token, {Role.reader: self.read_token, Role.writer: self.write_token})

    def role_of_cookie(self, cookie: str) -> Role:
        """The role that a login cookie grants."""
        return self._role(cookie, {role: _cookie(token) for role, token in self._tokens().items()})

    def cookie_of(self, role: Role) -> str:
        """The login cookie of a role. The token cannot be derived from it."""
        return _cookie(self._tokens()[role])

    def _tokens(self) -> dict[Role, str]:
        tokens = {Role.reader: self.read_token, Role.writer: self.write_token}
        return {role: token for role, token in tokens.items() if token is not None}

    def _role(self, given: str, expected: Mapping[Role, str | None]) -> Role:
        # Always compare with every secret, so that the response time reveals nothing.
        matching = [
            role
            for role, secret in expected.items()
            if secret is not None and hmac.compare_digest(given.encode("utf-8", "replace"), secret.encode())
        ]
        return max(matching, default=Role.stranger)


def _check_token(name: str, token: str | None) -> None:
    if token is None:
        return
    if len(token) < MIN_TOKEN_LENGTH or not token.isascii() or not token.isprintable() or " " in token:
        raise SettingsError(
            f"The {name.replace('_', ' ')} must have at least {MIN_TOKEN_LENGTH} printable ASCII characters and no "
            "spaces; generate one with `python -c 'import secrets; print(secrets.token_urlsafe(32))'`."
        )


def _check_proxy(proxy: str) -> None:
    try:
        ip_network(proxy)
    except ValueError:
        raise SettingsError(
            f"The trusted proxy {proxy!r} is no address or network; expected one such as 10.0.0.2 or 10.0.0.0/8."
        ) from None


def _cookie(token: str) -> str:
    return hmac.new(token.encode(), b"tlogic login", "sha256").hexdigest()
