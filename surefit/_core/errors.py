"""The errors surefit raises. Each says what was expected, what came, and what to do."""

from __future__ import annotations


class SurefitError(Exception):
    """The root of surefit's own errors; every one is also an error of the standard library's kind."""


class InvalidParameter(SurefitError, ValueError, TypeError):
    """One or more parameters of an estimator are wrong; the message lists all of them."""


class InvalidData(SurefitError, ValueError):
    """The data cannot be used: wrong shape, not finite, no rows, a missing column."""


class CannotStream(SurefitError, TypeError):
    """This estimator needs its rows in memory, and the data is a file or a Dask collection."""


class MissingPackage(SurefitError, ImportError):
    """An optional package is not installed; the message is the command that installs it."""


class TooMuchMemory(SurefitError, MemoryError):
    """Refused before it was allocated; the message names the bytes and the alternative."""
