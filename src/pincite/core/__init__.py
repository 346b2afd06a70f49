"""Types, rules and ports. Standard library only; imports nothing else of the package."""
