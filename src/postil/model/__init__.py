"""A trained model, and the file that keeps it.

Names are loaded when first used, so that importing the package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from postil.model.description import describe
    from postil.model.load import load_model, model_from_bytes
    from postil.model.model import DocumentDigest, Model, TrainingFingerprint
    from postil.model.save import model_to_bytes, save_model


__all__ = [
    "DocumentDigest",
    "Model",
    "TrainingFingerprint",
    "describe",
    "load_model",
    "model_from_bytes",
    "model_to_bytes",
    "save_model",
]

_HOMES = {
    "DocumentDigest": "model",
    "Model": "model",
    "TrainingFingerprint": "model",
    "describe": "description",
    "load_model": "load",
    "model_from_bytes": "load",
    "model_to_bytes": "save",
    "save_model": "save",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
