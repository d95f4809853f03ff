"""What is said to the user in sentences: errors to act on, each with the exit code it ends the command with, and remarks."""

from collections.abc import Callable

Say = Callable[[str], None]
"""Where a remark goes while the work goes on."""


class ProbatioError(Exception):
    """Said to the user as it is, without a stack trace."""

    exit_code = 3


class UsageError(ProbatioError):
    """What was asked for can't be: a flag, a file or a setting is wrong."""

    exit_code = 2


class Incomplete(ProbatioError):
    """The work stopped before its end; what was done is kept."""

    exit_code = 3


class CannotCheck(Exception):
    """The checker's own tool is missing or failed (no browser, no jail): the sample is an error, never a zero."""
