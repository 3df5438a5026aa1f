"""The papers' printed numbers, and the experiments that set ours beside them."""
