"""Random projection by a Gaussian matrix."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Annotated, Any, Literal, Self

import numpy as np
import scipy.linalg
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import DataDimensionalityWarning
from sklearn.utils import Tags
from sklearn.utils.validation import check_array, check_is_fitted

from surefit._core.base import Estimator, fitting
from surefit._core.errors import InvalidParameter
from surefit._core.memory import refuse_beyond_memory
from surefit._core.params import Range
from surefit._core.random import RandomStateLike, random_stream
from surefit._core.threads import single_threaded_blas
from surefit.engine.apply import apply_rows
from surefit.engine.open import open_data
from surefit.engine.rowwise import by_leaves
from surefit.random_projection.dimension import johnson_lindenstrauss_min_dim


class GaussianRandomProjection(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    """x ↦ A x with independent entries of A from N(0, 1/k): few dimensions k that keep the distances of n points.

    k ≥ (4 log n + 2 log(1/δ)) / (ε − log(1 + ε)) keeps all squared distances within a factor 1 ± ε with a probability
    of at least 1 − δ. The matrix does not depend on the rows, only on their number and width.

    {parameters}

    Attributes
    ----------
    components_ : ndarray of shape (n_components_, n_features)
        The matrix A.
    n_components_ : int
        The dimension k.
    inverse_components_ : ndarray of shape (n_features, n_components_)
        The pseudo-inverse of A; with compute_inverse_components=True only.
    n_features_in_ : int
        Columns seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, when all are strings.

    Examples
    --------
    >>> import numpy as np
    >>> from surefit.random_projection import GaussianRandomProjection
    >>> X = np.random.default_rng(0).random((25, 3000))
    >>> GaussianRandomProjection(eps=0.3, delta=0.01, random_state=0).fit_transform(X).shape
    (25, 587)
    """

    components_: np.ndarray
    n_components_: int
    inverse_components_: np.ndarray

    def __init__(
        self,
        n_components: Annotated[
            int | Literal["auto"], Range(1), "The dimension; 'auto' takes it from the number of rows, eps and delta."
        ] = "auto",
        *,
        eps: Annotated[
            float, Range(0, open="both"), "For 'auto': squared distances are to stay within 1 ± eps; below 1."
        ] = 0.1,
        delta: Annotated[
            float | None,
            Range(0, 1, open="both"),
            "For 'auto': the probability that some distance may fail; None takes scikit-learn's dimension, for which "
            "a projection without failures exists.",
        ] = None,
        compute_inverse_components: Annotated[bool, "Keep the pseudo-inverse for `inverse_transform`."] = False,
        random_state: Annotated[RandomStateLike, "Seed or stream of the matrix."] = None,
    ) -> None:
        self.n_components = n_components
        self.eps = eps
        self.delta = delta
        self.compute_inverse_components = compute_inverse_components
        self.random_state = random_state

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Draw the matrix for the shape of X: array, dataframe, CSR, Parquet path or Dask collection."""
        p = self._checked()
        data = open_data(self, X)
        self.n_components_ = k = self._dimension(p, data.n_rows, data.n_features)
        refuse_beyond_memory(8.0 * k * data.n_features, f"A matrix of {k} × {data.n_features}", "Ask for fewer.")
        stream = random_stream(p.random_state).spawn(1)[0]  # rows drawn by default_rng of the same seed are independent
        drawn = stream.standard_normal((k, data.n_features)) / np.sqrt(k)
        self.components_ = drawn.astype(data.dtype, copy=False)
        self.__dict__.pop("inverse_components_", None)
        if p.compute_inverse_components:
            self.inverse_components_ = scipy.linalg.pinv(self.components_, check_finite=False)
        return self

    def _dimension(self, p: Any, n: int, d: int) -> int:
        if p.n_components != "auto":
            if p.n_components > d:
                warnings.warn(
                    "The number of components is higher than the number of features: n_features < n_components "
                    f"({d} < {p.n_components}). The dimensionality of the problem will not be reduced.",
                    DataDimensionalityWarning,
                    stacklevel=3,
                )
            return int(p.n_components)
        k = johnson_lindenstrauss_min_dim(n, eps=p.eps, delta=p.delta)
        asked = f"eps={p.eps:f} and n_samples={n} lead to a target dimension of {k}"
        if k <= 0:
            raise InvalidParameter(f"{asked} which is invalid: one row has no distances")
        if k > d:
            raise InvalidParameter(
                f"{asked} which is larger than the original space with n_features={d}. Allow a larger eps, or name "
                "n_components."
            )
        return k

    def transform(self, X: Any) -> Any:
        """A x for each row."""
        check_is_fitted(self)
        return apply_rows(self, X, partial(_product, W=self.components_.T))

    def inverse_transform(self, X: Any) -> Any:
        """For each row z the shortest x with A x = z."""
        check_is_fitted(self)
        Z = check_array(X, dtype=(np.float64, np.float32), accept_sparse="csr", input_name="X")
        with single_threaded_blas():
            if self.compute_inverse_components:
                W = self.inverse_components_
            else:
                W = scipy.linalg.pinv(self.components_, check_finite=False)
            return _product(Z, W.T)

    @property
    def _n_features_out(self) -> int:
        return self.n_components_

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        tags.input_tags.sparse = True
        return tags


def _product(rows: Any, W: np.ndarray) -> np.ndarray:
    """rows · W in the type of the rows."""
    W = W.astype(rows.dtype, copy=False)
    out = np.empty((rows.shape[0], W.shape[1]), rows.dtype)
    return by_leaves(rows, out, lambda leaf: leaf @ W, least_rows=1024)
