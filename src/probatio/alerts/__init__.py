"""Alerts: which verdicts are news, where they go, and sending them."""
