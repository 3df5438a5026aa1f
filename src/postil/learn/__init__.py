"""Learning: losses, priors, solvers and strategies; one ``fit``."""
