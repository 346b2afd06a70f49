"""Answers from your documents in which every claim carries a checked, pinpoint citation."""
