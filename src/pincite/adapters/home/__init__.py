"""The folder that holds an installation."""
