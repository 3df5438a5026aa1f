"""Scripts that write and check generated files."""
