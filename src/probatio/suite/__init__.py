"""Suites: what is asked. Loading, validating, rendering prompts, and the fingerprint that pins them to a version."""
