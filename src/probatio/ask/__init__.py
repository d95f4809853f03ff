"""Asking: routes, the chat client, retries, pacing, prices, and models that run on this machine."""
