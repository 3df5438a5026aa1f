"""zhang-jin-yang-hauptmann-2003: its runs, tables and figures. Its numbers are in the TOML file."""

from __future__ import annotations
