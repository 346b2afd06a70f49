"""Accounts of an installation: today the API tokens by which programs are recognised."""
