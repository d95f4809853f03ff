"""The published rule: baseline, status of a use case and of a model, adaptive sampling."""
