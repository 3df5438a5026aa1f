"""The experiments of gao-wu-lee-chua-2003."""

from __future__ import annotations
