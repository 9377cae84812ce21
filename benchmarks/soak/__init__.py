"""`make soak`: tests the promises of docs/reliability.md for as long as you like, and writes the page."""
