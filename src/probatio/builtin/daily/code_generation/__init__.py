"""Code generation: cases, grader and proofs."""
