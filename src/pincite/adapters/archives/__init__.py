"""Files that hold files."""
