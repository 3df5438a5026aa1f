"""The experiments of gao-wu-lee-chua-2003: learning for a maximal figure of merit (MFoM)."""

from __future__ import annotations
