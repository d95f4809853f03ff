"""Errors a user can act on: one sentence each, and the exit code it ends the command with."""


class ProbatioError(Exception):
    """Said to the user as it is, without a stack trace."""

    exit_code = 3


class UsageError(ProbatioError):
    """What was asked for can't be: a flag, a file or a setting is wrong."""

    exit_code = 2


class Incomplete(ProbatioError):
    """The work stopped before its end; what was done is kept."""

    exit_code = 3
