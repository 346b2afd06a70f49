"""Files become canonical text here, each in a child process that may die alone."""
