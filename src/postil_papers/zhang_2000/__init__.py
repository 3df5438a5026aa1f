"""The experiments of zhang-2000: additive and multiplicative updates."""

from __future__ import annotations
