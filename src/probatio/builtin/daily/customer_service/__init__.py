"""Customer service: cases, grader and proofs."""
