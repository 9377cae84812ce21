"""Events that arrive, and the database that keeps them."""
