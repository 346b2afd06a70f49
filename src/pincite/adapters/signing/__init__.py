"""The instance's key, and time stamps."""
