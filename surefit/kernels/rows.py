"""Inputs of kernels, with what is computed once for each of them: centered rows, squared norms, features.

Squared distances do not change when both sides are moved, and

    ‖x − x'‖² = ‖x‖² + ‖x'‖² − 2 x·x'

loses the digits of an offset common to all rows. So dense rows are centered by their mean first, in double precision;
rows that are compared with them are moved by the same vector. CSR rows stay where they are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import scipy.sparse as sp

from surefit._core.data.faults import refuse_non_finite
from surefit._core.errors import InvalidData

if TYPE_CHECKING:
    from surefit.kernels.kernel import Kernel

DOUBLE = np.dtype(np.float64)
SINGLE = np.dtype(np.float32)


class _TakesDomain(Protocol):
    domain: Any


class Rows:
    """n inputs: a float array, CSR, or objects (a 1-d array of them, or a 2-d one with columns of several kinds)."""

    def __init__(self, X: Any, dtype: np.dtype, *, pair: Rows | None = None) -> None:
        self.dtype = dtype
        self.n = 0 if X is None else int(X.shape[0])
        self.parent: Rows | None = None
        self.places: Any = None
        """Where these rows were taken from."""
        self.pair = pair
        """The rows that these are compared with, whose center they use."""
        self._shared: dict[Any, Any] = {}
        self._kept: dict[Any, Any] = {} if X is None else {"X": X}

    @staticmethod
    def of(kernel: _TakesDomain, X: Any, dtype: Any = None) -> Rows:
        X = as_inputs(kernel, X)
        is_numbers = sp.issparse(X) or X.dtype in (DOUBLE, SINGLE)
        return Rows(X, np.dtype(dtype) if dtype is not None else X.dtype if is_numbers else DOUBLE)

    @staticmethod
    def centered_already(table: np.ndarray) -> Rows:
        """Rows in coordinates that are good as they are."""
        rows = Rows(table, table.dtype)
        rows._kept["centered"] = table
        return rows

    @property
    def X(self) -> Any:
        """The inputs as they came."""
        return self.kept("X", lambda rows: rows.X)

    @property
    def is_sparse(self) -> bool:
        return self.parent.is_sparse if self.parent is not None else sp.issparse(self.X)

    def like(self, Y: Any) -> Rows:
        """Rows that are compared with these: of the same kind, in the same coordinates."""
        if isinstance(self.X, np.ndarray) and self.X.dtype == object:
            return Rows(as_objects(Y), self.dtype, pair=self)
        Y = as_vectors(Y)
        if self.is_sparse != sp.issparse(Y):  # one of them dense: both are
            Y = sp.csr_array(Y) if self.is_sparse else Y.toarray()
        if Y.shape[1] != self.X.shape[1]:
            raise InvalidData(f"X has {self.X.shape[1]} columns and Y has {Y.shape[1]}; they must have the same")
        return Rows(Y, self.dtype, pair=self)

    def take(self, places: Any) -> Rows:
        """Some of the rows; what was computed for these is not computed again."""
        some = Rows(None, self.dtype, pair=self.pair)
        some.parent = self
        if isinstance(places, slice):
            some.places, some.n = places, len(range(*places.indices(self.n)))
        else:
            numbers = np.asarray(places)
            some.places = np.flatnonzero(numbers) if numbers.dtype == bool else numbers.astype(np.intp, copy=False)
            some.n = len(some.places)
        return some

    def kept(self, key: Any, make: Callable[[Rows], Any]) -> Any:
        """make(self), an array with one entry for each row (or other Rows), computed once."""
        if key not in self._kept:
            if self.parent is None:
                self._kept[key] = make(self)
            else:
                whole = self.parent.kept(key, make)
                self._kept[key] = whole.take(self.places) if isinstance(whole, Rows) else whole[self.places]
        return self._kept[key]

    @property
    def root(self) -> Rows:
        """The rows that came first: their center, and their vocabulary, are used by all that are compared with them."""
        source = self.pair if self.pair is not None else self.parent
        return self if source is None else source.root

    def shared(self, key: Any, make: Callable[[], Any]) -> Any:
        """make(), which all rows of this root use, computed once."""
        if key not in self._shared:
            self._shared[key] = make()
        return self._shared[key]

    # Coordinates of dense rows

    @property
    def center(self) -> np.ndarray:
        """The mean in double; taken from the first row, so that an offset costs no digits."""
        root = self.root
        return root.shared("center", lambda: root.X[0] + np.subtract(root.X, root.X[0], dtype=np.float64).mean(axis=0))

    @property
    def centered(self) -> Any:
        return self.kept("centered", Rows._centered)

    def _centered(self) -> Any:
        if self.is_sparse:
            return self.values
        return np.ascontiguousarray(np.subtract(self.X, self.center, dtype=np.float64).astype(self.dtype, copy=False))

    @property
    def values(self) -> Any:
        """The numbers as they are, in the precision asked for."""
        return self.kept("values", lambda rows: in_precision(rows.X, rows.dtype))

    @property
    def sq_norms(self) -> np.ndarray:
        """Of the centered rows."""
        return self.kept("sq_norms", lambda rows: squares(rows.centered))

    # Other rows made of these

    def columns(self, columns: Any, kernel: Kernel) -> Rows:
        key = (kernel, "columns", np.ndim(columns), tuple(np.atleast_1d(columns).tolist()))
        return self._other(key, lambda X: _columns(X, columns), kernel)

    def mapped(self, function: Callable[[Any], Any], kernel: Kernel) -> Rows:
        return self._other((kernel, "mapped", function), function, kernel)

    def _other(self, key: Any, function: Callable[[Any], Any], kernel: Kernel) -> Rows:
        def make(rows: Rows) -> Rows:
            X = function(rows.X)
            if len(X) != rows.n if not sp.issparse(X) else X.shape[0] != rows.n:
                raise InvalidData(f"a feature map must give one row for each of {rows.n}")
            if rows.pair is not None:
                return rows.pair._other(key, function, kernel).like(X)
            return Rows.of(kernel, X, self.dtype if rows.X.dtype in (DOUBLE, SINGLE) else None)

        return self.kept(key, make)


def in_precision(X: Any, dtype: np.dtype) -> Any:
    X = X.astype(dtype, copy=False)
    return X if sp.issparse(X) else np.ascontiguousarray(X)


def squares(X: Any) -> np.ndarray:
    if sp.issparse(X):
        return np.asarray(X.multiply(X).sum(axis=1), dtype=X.dtype).ravel()
    return np.einsum("ij,ij->i", X, X, dtype=np.float64).astype(X.dtype, copy=False)


def as_inputs(kernel: _TakesDomain, X: Any) -> Any:
    """X as a kernel wants it: a float array or CSR for kernels on vectors, an object array for others."""
    if kernel.domain == "vectors":
        return as_vectors(X)
    if kernel.domain == "objects":
        return as_objects(X)
    return as_vectors(X) if is_numbers(X) and np.ndim(X) == 2 else as_objects(X)


def is_numbers(X: Any) -> bool:
    """Rows of numbers, or something that is to be refused as such."""
    if sp.issparse(X) or X is None or isinstance(X, (str, bytes)):
        return True  # take_rows refuses what it must
    if hasattr(X, "dtypes"):
        return all(getattr(kind, "kind", "O") in "fiub" for kind in np.atleast_1d(np.asarray(X.dtypes, dtype=object)))
    if isinstance(X, np.ndarray):
        return X.dtype.kind in "fiubc"
    try:
        return np.asarray(X).dtype.kind in "fiubc"
    except ValueError:  # rows of different lengths
        return False


def as_vectors(X: Any) -> Any:
    if sp.issparse(X):
        X = X if X.format == "csr" else X.tocsr()
        X = sp.csr_array(X) if isinstance(X, sp.spmatrix) else X  # sums of a matrix's rows would be matrices
        X = X if X.dtype in (DOUBLE, SINGLE) else X.astype(np.float64)
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
    else:
        try:
            X = np.asarray(X)
            X = X if X.dtype in (DOUBLE, SINGLE) else X.astype(np.float64)
        except (ValueError, TypeError) as error:
            raise InvalidData(f"this kernel takes rows of numbers: {error}") from error
        if X.ndim != 2:
            raise InvalidData(f"Expected 2D array: rows of numbers, one for each input; got {X.ndim} dimension(s)")
    if X.shape[0] == 0 or X.shape[1] == 0:
        raise InvalidData(f"X has shape {X.shape}: there must be at least one row and one column")
    refuse_non_finite(X, "X")
    return X


def as_objects(X: Any) -> np.ndarray:
    """A 1-d array of objects (a 2-d one stays: columns of several kinds)."""
    if sp.issparse(X) or isinstance(X, (str, bytes)) or not hasattr(X, "__len__"):
        raise InvalidData(f"X must be a list or an array of inputs, such as sets or strings; got {type(X).__name__}")
    if len(X) == 0:
        raise InvalidData("X is empty: there must be at least one input")
    if hasattr(X, "to_numpy"):
        X = X.to_numpy()
    if isinstance(X, np.ndarray):
        return X if X.dtype == object else _list_to_objects(list(X))
    return _list_to_objects(X)


def _list_to_objects(X: Sequence[Any]) -> np.ndarray:
    objects = np.empty(len(X), dtype=object)
    for i, x in enumerate(X):
        objects[i] = x
    return objects


def _columns(X: Any, columns: Any) -> Any:
    if X.ndim != 2:
        raise InvalidData("k.on(columns) takes rows with columns: a two-dimensional array or a dataframe")
    width = X.shape[1]
    for column in np.atleast_1d(columns):
        if not -width <= column < width:
            raise InvalidData(f"k.on({columns}) asks for column {column}; there are {width}")
    return X[:, columns] if sp.issparse(X) or X.dtype == object else X[:, np.atleast_1d(columns)]
