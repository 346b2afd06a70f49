"""Protocols of what the core needs from the outside world."""
