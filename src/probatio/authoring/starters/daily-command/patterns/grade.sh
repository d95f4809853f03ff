# Reads {"case": …, "answer": …} on standard input, one line of JSON, and prints true or false. Runs in the jail, where it
# may start no other program. A number from 0 to 1 is a score, too: docs/your-watch.md, "A grader of your own".

read -r asked

# A quote inside a text of JSON has a backslash before it, so these keys are found at their own place alone.
names=${asked##*'"matched": "'}
names=${names%%'"'*}
others=${asked##*'"others": "'}
others=${others%%'"'*}
pattern=${asked##*'"answer": "'}
pattern=${pattern%'"}'}
pattern=${pattern%'\n'} # a line break at the end

fail() {
    echo false
    exit
}

set -f # the names are words, no patterns for files
case $pattern in
'' | *\\*) fail ;; # nothing, or a sign that JSON writes with a backslash: more than one line, a quote, another alphabet
esac
for name in $names; do
    case $name in $pattern) ;; *) fail ;; esac
done
for name in $others; do
    case $name in $pattern) fail ;; esac
done
echo true
