"""Game design: cases, grader and proofs."""
