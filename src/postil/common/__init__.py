"""Types, files, threads and progress: what every room uses."""
