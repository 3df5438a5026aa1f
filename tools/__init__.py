"""What writes and checks generated files."""
