"""Fresh, verified tasks for Faber: programs drawn with a purpose, at a level, proven by two evaluators."""
