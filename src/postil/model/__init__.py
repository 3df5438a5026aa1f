"""What a categorizer is made of when it is at work, and the file it lives in."""
