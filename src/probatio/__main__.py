"""`python -m probatio`, for where the script is not on the path."""

from probatio.cli import main

if __name__ == "__main__":
    main()
