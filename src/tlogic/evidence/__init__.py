"""Evidence: features of (query, candidate) pairs, each computed from dated facts before the query."""
