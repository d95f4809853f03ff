"""Tools for the author of a suite: a folder to begin with, the proof that it holds what it says, a copy of a built-in one."""
