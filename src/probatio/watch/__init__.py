"""Question 2: is the model still what it was? Days, verdicts, ledger, alerts."""
