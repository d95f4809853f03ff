"""A study in the formats of papers and tables."""
