"""Reproductions for people and programs: terminal, Markdown, HTML, JSON."""

from __future__ import annotations
