// The mark that a program has parsed and begins, for a real bun, which brings its own console.
import { writeSync } from "node:fs";

writeSync(1, "\x02");
