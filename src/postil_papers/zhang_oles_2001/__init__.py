"""zhang-oles-2001: its figures. Its numbers are in ``zhang-oles-2001.toml``."""

from __future__ import annotations
