"""The corpora known by name: their readers, where they are kept, fetching them."""
