"""The base class of every estimator, and the frame around every `fit`."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

import numpy as np
from sklearn.base import BaseEstimator

from surefit._core.callbacks import CallbackSupportMixin, with_callbacks
from surefit._core.config import settings
from surefit._core.params import checked, parameter_documentation, plain_signature
from surefit._core.threads import single_threaded_blas

if TYPE_CHECKING:
    from surefit.certificates.certificate import Certificate

VERSION = "0.1.0"

P = ParamSpec("P")
E = TypeVar("E", bound="Estimator")


class Estimator(CallbackSupportMixin, BaseEstimator):
    """What all estimators share: declared parameters, certificates, versioned pickles."""

    n_features_in_: int
    feature_names_in_: np.ndarray
    certificate_: Certificate
    """Only after `surefit.config(certify="always")`."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "__init__" in cls.__dict__:  # help() shows defaults; the rules are in the list of parameters
            cls.__init__.__signature__ = plain_signature(cls.__init__)  # type: ignore[attr-defined]
        if cls.__doc__ and "{parameters}" in cls.__doc__:
            cls.__doc__ = cls.__doc__.replace("{parameters}", parameter_documentation(cls).replace("\n", "\n    "))

    def _checked(self) -> SimpleNamespace:
        """All parameters, checked; every fault is reported at once."""
        return checked(self)

    def certify(self, X: Any, y: Any = None, sample_weight: Any = None, *, tol: float = 1e-6) -> Certificate:
        """Check this fit against the data: the same as `surefit.certify(self, X, y, sample_weight, tol=tol)`."""
        import surefit

        return surefit.certify(self, X, y, sample_weight, tol=tol)

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        return {**state, "_surefit_version": VERSION} if type(self).__module__.startswith("surefit.") else state

    def __setstate__(self, state: dict[str, Any]) -> None:
        version = state.get("_surefit_version", VERSION)
        if version != VERSION:
            warnings.warn(
                f"this {type(self).__name__} was saved by surefit {version} and is read by {VERSION}: "
                "certify it on its data before you rely on it",
                stacklevel=2,
            )
        super().__setstate__({name: value for name, value in state.items() if name != "_surefit_version"})


def fitting(method: Callable[Concatenate[E, P], E]) -> Callable[Concatenate[E, P], E]:
    """The frame around `fit`: BLAS on one thread, callbacks torn down, and nothing changed when it fails.

    A fit that is refused (bad parameter, bad data) or interrupted (Ctrl-C) leaves the estimator as it was.
    """
    managed = with_callbacks(method)

    @functools.wraps(method)
    def fit(self: E, *args: P.args, **kwargs: P.kwargs) -> E:
        before = dict(self.__dict__)
        try:
            with single_threaded_blas():
                managed(self, *args, **kwargs)
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise
        if settings.certify == "always":
            given = inspect.signature(method).bind(self, *args, **kwargs).arguments
            self.certificate_ = self.certify(given["X"], given.get("y"), given.get("sample_weight"))
            if not self.certificate_.holds:
                warnings.warn(f"the certificate of this fit does not hold:\n{self.certificate_}", stacklevel=2)
        return self

    return fit


def updating(method: Callable[Concatenate[E, P], E]) -> Callable[Concatenate[E, P], E]:
    """The frame around `partial_fit`: BLAS on one thread, and nothing changed when it fails."""

    @functools.wraps(method)
    def partial_fit(self: E, *args: P.args, **kwargs: P.kwargs) -> E:
        before = dict(self.__dict__)
        try:
            with single_threaded_blas():
                return method(self, *args, **kwargs)
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise

    return partial_fit
