"""Running: which trials there are, asking them once each, and the journal that never loses an answer."""
