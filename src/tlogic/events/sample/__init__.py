"""The sample world: an invented coast, and a seeded simulator that writes its news."""
