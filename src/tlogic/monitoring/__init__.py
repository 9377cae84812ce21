"""Monitoring: which events are likely next, which were surprising, and what changed."""

from typing import TYPE_CHECKING

from tlogic.lazy import lazy_names

if TYPE_CHECKING:
    from tlogic.monitoring.change_explanation import ChangedTriple, ChangeExplanation
    from tlogic.monitoring.changes import Changes
    from tlogic.monitoring.outlook import Likely, Outlook
    from tlogic.monitoring.surprises import Surprises
    from tlogic.monitoring.watchlist import Watchlist

__all__ = ["ChangeExplanation", "ChangedTriple", "Changes", "Likely", "Outlook", "Surprises", "Watchlist"]
__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "ChangeExplanation": "tlogic.monitoring.change_explanation",
        "ChangedTriple": "tlogic.monitoring.change_explanation",
        "Changes": "tlogic.monitoring.changes",
        "Likely": "tlogic.monitoring.outlook",
        "Outlook": "tlogic.monitoring.outlook",
        "Surprises": "tlogic.monitoring.surprises",
        "Watchlist": "tlogic.monitoring.watchlist",
    },
)
