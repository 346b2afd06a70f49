"""The command line: it translates, it doesn't decide."""
