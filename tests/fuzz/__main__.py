"""`python -m fuzz`, in tests/."""

import sys

from fuzz.play import main

if __name__ == "__main__":
    sys.exit(main())
