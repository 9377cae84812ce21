"""The form where people who use the page give their token; their browser then keeps a cookie."""

from urllib.parse import parse_qs

from fastapi import FastAPI, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from tlogic.serving.web.authentication import COOKIE, AccessSettings, Role

_FORM = """<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>tlogic</title></head>
<body style="font-family: sans-serif; max-width: 24rem; margin: 20vh auto; padding: 0 1rem">
<h1>tlogic</h1>
<form method="post" action="/login">
<p><label for="token">Your token for this service</label></p>
<p><input id="token" name="token" type="password" autocomplete="current-password" required autofocus
 style="width: 100%; font-size: 1rem; padding: .4rem; box-sizing: border-box"></p>
<p role="alert">{problem}</p>
<p><button style="font-size: 1rem; padding: .4rem 1rem">Log in</button></p>
</form>
</body>
</html>
"""


def add_login(app: FastAPI, guard: AccessSettings) -> None:
    """Serve the form at ``/login``."""

    @app.get("/login", include_in_schema=False)
    async def form() -> Response:
        return RedirectResponse("/", 303) if guard.is_open else HTMLResponse(_FORM.format(problem=""))

    @app.post("/login", include_in_schema=False)
    async def login(request: Request) -> Response:
        given = parse_qs((await request.body()).decode("utf-8", "replace")).get("token", [""])[0]
        role = guard.role_of(given.strip())
        if guard.is_open or role is Role.stranger:
            return HTMLResponse(_FORM.format(problem="This is not a token of this service."), 401)
        response = RedirectResponse("/", 303)
        response.set_cookie(
            COOKIE, guard.cookie_of(role), httponly=True, samesite="strict", secure=request.url.scheme == "https"
        )
        return response
