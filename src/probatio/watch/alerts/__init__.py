"""Alerts: which verdicts call for a message, the channels, and sending."""
