"""Grounding: rules are followed from a query's subject to candidates, over what is visible at its time."""
