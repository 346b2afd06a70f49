"""What touches the outside world: each family implements ports of the core, and `bootstrap` chooses among them."""
