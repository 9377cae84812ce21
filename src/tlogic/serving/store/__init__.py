"""Events of a service: validation, encoding, and storage in SQLite or PostgreSQL."""
