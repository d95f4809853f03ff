"""Asking: providers, routes, the chat client, retries, pacing, prices."""
