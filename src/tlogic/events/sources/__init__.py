"""Where facts come from: files of text or typed columns, data frames, databases; all become `RawFacts`."""
