"""Charts: pure functions from plain data to SVG text, for the site, for analysis.md and for the story."""
