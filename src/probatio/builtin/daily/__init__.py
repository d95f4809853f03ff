"""The daily suite: ten use cases, each a folder with its cases, its grader and its proofs."""
