"""Errors the user can act on, each with its exit code, and where remarks go."""

from collections.abc import Callable

Say = Callable[[str], None]
"""Where a remark goes while the work goes on."""


class ProbatioError(Exception):
    """Its message is shown as it is, without a stack trace."""

    exit_code = 3


class UsageError(ProbatioError):
    """A flag, a file or a setting is wrong."""

    exit_code = 2


class Incomplete(ProbatioError):
    """The work stopped before its end; what was done is kept."""

    exit_code = 3


class CannotCheck(Exception):
    """A tool of the checker is missing or failed (browser, jail): the sample is an error, never a zero."""
