"""What the answers of a run say, each number with its uncertainty."""
