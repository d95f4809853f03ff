"""Text: names, tables, and what is safe to show."""
