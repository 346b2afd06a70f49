"""Implementations of the ports, one family a package. Each knows core and language alone, and no other family."""
