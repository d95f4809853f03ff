"""A study in words and pictures: `analysis.md`, comparisons, languages side by side."""
