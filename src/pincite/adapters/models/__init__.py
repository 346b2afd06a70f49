"""Chat and embedding models."""
