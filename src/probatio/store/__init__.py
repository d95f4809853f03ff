"""The results folder: file names, the journal that never loses an answer, and the one reader of a run's folder."""
