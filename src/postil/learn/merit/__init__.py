"""Training for the measure that is cared about (gao-wu-lee-chua-2003)."""
