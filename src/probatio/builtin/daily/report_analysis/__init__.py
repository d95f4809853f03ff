"""Report analysis: cases, grader and proofs."""
