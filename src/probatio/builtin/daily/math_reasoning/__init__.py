"""Math reasoning: cases, grader and proofs."""
