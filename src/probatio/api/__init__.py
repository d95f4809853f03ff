"""The functions a notebook calls and the command line is a layer over: ask, grade, read, study, compare, plan, export."""
