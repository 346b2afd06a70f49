"""From a file to searchable chunks."""
