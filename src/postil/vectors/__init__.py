"""Tokens to weighted sparse vectors."""
