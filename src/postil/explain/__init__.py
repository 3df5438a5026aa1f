"""Explanations: why a document was given a category, or not, and what would change that."""
