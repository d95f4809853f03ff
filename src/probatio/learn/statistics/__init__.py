"""The statistics of trials: intervals of differences, power, factors, curves."""
