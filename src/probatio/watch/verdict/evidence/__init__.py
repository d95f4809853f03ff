"""The evidence: a betting e-detector with a memory."""
