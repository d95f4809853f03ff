"""Embedded models: their weights, where they come from, and the server that runs them on this machine."""
