"""What is used, and what it costs."""
