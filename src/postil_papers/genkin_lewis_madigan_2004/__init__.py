"""genkin-lewis-madigan-2004: its runs, tables and figures. Its numbers are in the TOML file."""

from __future__ import annotations
