"""Statistics of our own, pure: intervals, tests, fits, power. A test holds each against a library."""
