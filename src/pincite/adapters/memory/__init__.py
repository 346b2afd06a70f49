"""Twins of the ports that keep everything in memory: for tests, notebooks and throw-away collections."""
