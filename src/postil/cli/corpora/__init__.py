"""Commands of `postil corpus` that are modules of their own."""
