"""Monitoring: which events are likely next, which were surprising, and what changed."""

from typing import TYPE_CHECKING

from tlogic.lazy import lazy_names

if TYPE_CHECKING:
    from tlogic.monitoring.outlook import Likely, Outlook
    from tlogic.monitoring.watchlist import Watchlist

__all__ = ["Likely", "Outlook", "Watchlist"]
__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "Likely": "tlogic.monitoring.outlook",
        "Outlook": "tlogic.monitoring.outlook",
        "Watchlist": "tlogic.monitoring.watchlist",
    },
)
