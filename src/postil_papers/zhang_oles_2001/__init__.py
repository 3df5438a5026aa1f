"""The experiments of zhang-oles-2001: regularized linear classification of Reuters and others."""

from __future__ import annotations
