"""The results folder: file names, the journal that never loses an answer, the reader of a run."""
