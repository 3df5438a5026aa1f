"""Figures: a small language for what is drawn, and the drawing of it as SVG and PNG."""

from __future__ import annotations
