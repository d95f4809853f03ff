"""Structured extraction: cases, grader and proofs."""
