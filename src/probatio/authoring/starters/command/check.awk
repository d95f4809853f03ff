# Read before the program: awk parses both and ends before anything of the program is run.
BEGIN { exit }
END { exit }
