"""Study: what a run's answers say, each number with its doubt."""
