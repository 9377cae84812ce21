"""The page of the live service: search, ask, and see why, in a browser."""

from tlogic.serving.page.view_routes import mount_page

__all__ = ["mount_page"]
