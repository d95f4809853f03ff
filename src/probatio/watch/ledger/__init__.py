"""The ledger: the chain of recorded verdicts."""
