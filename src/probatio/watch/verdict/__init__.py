"""The verdict: rule, evidence and attribution as pure folds over recorded days. No file, clock or network."""
