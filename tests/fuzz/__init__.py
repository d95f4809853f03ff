"""Fuzzing: mutated answers, replies and folders, played through the real parts. See README.md."""
