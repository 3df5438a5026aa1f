"""Per-term priors: their files, the terms they name, and their variances."""
