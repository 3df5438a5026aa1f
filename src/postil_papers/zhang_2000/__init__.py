"""The experiments of zhang-2000."""

from __future__ import annotations
