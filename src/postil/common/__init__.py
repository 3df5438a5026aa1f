"""Types, files, threads, progress and suggestions that every part of postil uses."""
