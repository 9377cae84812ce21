"""Login form of the page: a browser exchanges a token for a cookie."""

from urllib.parse import parse_qs

from fastapi import FastAPI, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from tlogic.serving.web.authentication import COOKIE, GuessLimiter
from tlogic.serving.web.settings import AccessSettings, Role

_FORM = """<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>tlogic</title></head>
<body style="font-family: sans-serif; max-width: 24rem; margin: 20vh auto; padding: 0 1rem">
<h1>tlogic</h1>
<form method="post" action="/login">
<p><label for="token">Token for this service</label></p>
<p><input id="token" name="token" type="password" autocomplete="current-password" required autofocus
 style="width: 100%; font-size: 1rem; padding: .4rem; box-sizing: border-box"></p>
<p role="alert">{problem}</p>
<p><button style="font-size: 1rem; padding: .4rem 1rem">Log in</button></p>
</form>
</body>
</html>
"""


def add_login(app: FastAPI, access: AccessSettings, guesses: GuessLimiter) -> None:
    """Add the form at ``/login``. Wrong tokens are counted as guesses; a valid one is always accepted."""

    @app.get("/login", include_in_schema=False)
    async def form() -> Response:
        return RedirectResponse("/", 303) if access.is_local_only else HTMLResponse(_FORM.format(problem=""))

    @app.post("/login", include_in_schema=False)
    async def login(request: Request) -> Response:
        token = parse_qs((await request.body()).decode("utf-8", "replace")).get("token", [""])[0]
        role = access.role_of(token.strip())
        if access.is_local_only or role is Role.stranger:
            guesses.count(request)
            return HTMLResponse(_FORM.format(problem="Invalid token."), 401)
        response = RedirectResponse("/", 303)
        response.set_cookie(
            COOKIE, access.cookie_of(role), httponly=True, samesite="strict", secure=request.url.scheme == "https"
        )
        return response
