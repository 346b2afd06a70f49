"""Routes, a file per noun."""
