"""The sample world: simulated events that follow known (planted) rules."""
