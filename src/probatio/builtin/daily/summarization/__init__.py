"""Summarization: cases, grader and proofs."""
