"""Bytes in and out: compression, archives, lines, atomic writing."""
