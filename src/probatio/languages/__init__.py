"""Languages under test: how each is checked and run."""
