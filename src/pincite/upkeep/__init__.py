"""Looking after an installation: backups, checks, repairs."""
