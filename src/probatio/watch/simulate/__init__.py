"""The simulator: the verdict's own code on synthetic models, and what it measured."""
