"""The categories a user names, found in a model."""

from __future__ import annotations

from collections.abc import Sequence

from postil.errors import UsageError


def columns_named(asked: Sequence[str], names: Sequence[str], model: str) -> list[int]:
    """The columns of the categories asked for, each once, in the order they were asked for."""
    column_of = {name: column for column, name in enumerate(names)}
    for name in asked:
        if name not in column_of:
            raise UsageError(f"{model} has no category {name!r}{_meant(name, names, model)}")
    return [column_of[name] for name in dict.fromkeys(asked)]


def _meant(received: str, names: Sequence[str], model: str) -> str:
    from postil.text.suggest import near_names

    near = near_names(received, names)
    if near:
        return f"; did you mean {' or '.join(map(repr, near))}?"
    return f"; postil inspect {model} lists its {len(names)}"
