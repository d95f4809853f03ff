"""The day: the daily suite asked once, with adaptive sampling, and scored."""
