"""The scheduler: `probatio daily` every day at a set hour."""
