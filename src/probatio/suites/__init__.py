"""Suites: what is asked. Loading, validating, prompts, and the fingerprint that pins a version."""
