"""The HTTP side of a service: its API, and who may ask what and how often."""
