"""Instruction following: cases, grader and proofs."""
