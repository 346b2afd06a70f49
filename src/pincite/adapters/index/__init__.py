"""The embedded store's two search mirrors: vectors in mapped matrices, words in tantivy. Both follow the change log."""
