"""Interchange: runs and tasks in the formats of other tools, written and read."""
