"""Bytes of files: `disk.DiskBlobs` keeps them in a folder."""
