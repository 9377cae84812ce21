"""Interactive API documentation at /docs, with scripts served from a local package instead of a CDN."""

from importlib.resources import as_file, files

from fastapi import FastAPI
from fastapi.openapi.docs import get_swagger_ui_html
from starlette.responses import HTMLResponse
from starlette.staticfiles import StaticFiles

_ASSETS = "/docs/assets"


def add_api_docs(app: FastAPI) -> None:
    """Add the page at /docs, which displays /openapi.json."""
    with as_file(files("fastapi_offline") / "static") as folder:
        app.mount(_ASSETS, StaticFiles(directory=folder))

    @app.get("/docs", include_in_schema=False)
    def docs() -> HTMLResponse:
        return get_swagger_ui_html(
            openapi_url="/openapi.json",
            title=f"{app.title} API",
            swagger_js_url=f"{_ASSETS}/swagger-ui-bundle.js",
            swagger_css_url=f"{_ASSETS}/swagger-ui.css",
            swagger_favicon_url=f"{_ASSETS}/favicon.png",
        )
