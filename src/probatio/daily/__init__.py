"""Carrying out a day: ask, grade, judge, score, keep; and deriving all of it again from the raw files."""
