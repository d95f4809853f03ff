"""A suite proven: what its folder says is true on this machine, in the jail."""
