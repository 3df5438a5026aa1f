"""The benchmarks, each in a module of its own that enters itself into the list."""

from importlib import import_module

ORDER = (
    "tfidf",
    "threads",
    "stemming",
    "peers",
    "one_document",
    "startup",
    "scoring",
    "reading",
    "memory",
    "growth",
    "learning",
    "lasso",
    "lasso_path",
    "online",
    "learning_memory",
    "learning_growth",
    "measures",
    "strength",
    "defaults",
    "deciding",
    "hierarchy",
    "checking",
)


def load() -> None:
    """Import every benchmark, in the order they are run in."""
    for module in ORDER:
        import_module(f"{__name__}.{module}")
