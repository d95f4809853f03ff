"""How a sample of a day is graded: in a worker, by code and by the judge."""
