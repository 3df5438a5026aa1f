"""What a categorizer is made of when it is at work, and the file it lives in.

Names are loaded when first used, so that importing the package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from postil.model.description import describe
    from postil.model.loading import load_model, model_from_bytes
    from postil.model.model import Model
    from postil.model.saving import model_to_bytes, save_model
    from postil.model.training import DocumentDigest, TrainingFingerprint

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
    "DocumentDigest": "training",
    "Model": "model",
    "TrainingFingerprint": "training",
    "describe": "description",
    "load_model": "loading",
    "model_from_bytes": "loading",
    "model_to_bytes": "saving",
    "save_model": "saving",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
