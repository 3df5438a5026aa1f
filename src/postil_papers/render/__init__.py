"""Reproductions for people and programs: terminal, Markdown, HTML, JSON."""
