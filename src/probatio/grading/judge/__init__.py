"""The judge: a pinned model that marks answers by a rubric; asking it, calibrating it, reading its marks."""
