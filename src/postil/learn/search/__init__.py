"""Choosing the strength of regularization by held-out documents."""
