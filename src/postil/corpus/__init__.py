"""Reading, writing, splitting and counting of documents."""
