"""The page of a service: search entities, send queries and read explanations in a browser."""

from tlogic.serving.page.view_routes import mount_page

__all__ = ["mount_page"]
