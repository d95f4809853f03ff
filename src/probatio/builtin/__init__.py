"""The suites that come with Probatio: their data, and the graders of the daily use cases."""
