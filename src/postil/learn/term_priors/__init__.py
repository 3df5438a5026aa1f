"""Priors of single terms: their files, names and variances."""
