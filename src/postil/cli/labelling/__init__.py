"""The commands by which documents get labels from programs and people."""
