"""Web design: cases, grader and proofs."""
