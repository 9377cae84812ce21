"""Grounding: rules are followed from a query's subject to candidates, over what is known at its time."""
