"""From a question to confirmed passages."""
