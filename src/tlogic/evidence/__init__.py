"""Evidence: what speaks for a candidate of a query, in numbers that a person can check against dated facts."""
