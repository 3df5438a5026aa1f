"""Selection of the terms that each category keeps."""
