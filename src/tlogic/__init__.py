"""Learn temporal logical rules from dated events, forecast what comes next, and show why."""
