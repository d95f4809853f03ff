"""Creative writing: cases, grader and proofs."""
