"""Tools for the author of a suite: begin one, prove it, vary it, rehearse it; and models.yml."""
