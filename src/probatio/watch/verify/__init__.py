"""The audit: grades, scores and verdicts made again from the raw files, and every difference named."""
