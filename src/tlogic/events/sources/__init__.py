"""Readers for each kind of source: text files, columnar files, data frames and databases; all give `RawFacts`."""
