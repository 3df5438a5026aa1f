"""The corpora known by name: their readers, their places on disk, and fetching them."""
