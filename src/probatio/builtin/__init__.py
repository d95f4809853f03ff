"""The suites that come with Probatio: data, and beside the daily use cases their graders."""
