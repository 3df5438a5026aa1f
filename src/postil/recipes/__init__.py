"""Recipes: every published method, and our own best, as one TOML file each."""
