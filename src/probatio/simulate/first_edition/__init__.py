"""The first edition of the evidence, kept to be run beside the second on the same days. No verdict reads it."""
