"""The two ways in which headstart itself can fail. Both are caught once, in `cli.main`."""


class HeadstartError(Exception):
    """Something could not be done. The text says what happened and what to do about it."""

    exit_code = 2


class UsageError(HeadstartError):
    """The command line asks for something that does not exist or does not fit together."""
