"""SciPy's BLAS and LAPACK on tiles of row-major matrices, in place and without the GIL.

NumPy has no product that adds to a matrix and no triangular solve; SciPy's functions hold the GIL and copy row-major
matrices. SciPy also exports the addresses of its routines, for compiled code; called through ctypes they work on views
and let other Python threads run. BLAS is column-major: a row-major matrix is handed over as its transpose.

All arrays are float64 with unit stride along rows. Inside a fit BLAS has one thread; threads work on different tiles.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import numpy as np


@cache
def _routine(name: str) -> Any:
    """A BLAS or LAPACK routine; it takes the addresses of all its arguments, as Fortran has it."""
    from scipy.linalg import cython_blas, cython_lapack

    module = cython_blas if name in cython_blas.__pyx_capi__ else cython_lapack
    capsule = module.__pyx_capi__[name]
    api = ctypes.pythonapi
    api.PyCapsule_GetName.restype, api.PyCapsule_GetName.argtypes = ctypes.c_char_p, [ctypes.py_object]
    signature = api.PyCapsule_GetName(capsule)
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    n_arguments = signature.count(b",") + 1
    if b" int *" not in signature:
        raise ImportError(f"SciPy's {name} does not take 32-bit integers: {signature.decode()}")
    return ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * n_arguments)(api.PyCapsule_GetPointer(capsule, signature))


def _int(value: int) -> Any:
    return ctypes.byref(ctypes.c_int(value))


def _double(value: float) -> Any:
    return ctypes.byref(ctypes.c_double(value))


def _matrix(A: np.ndarray) -> tuple[int, Any]:
    """Address and leading dimension."""
    return A.ctypes.data, _int(max(A.strides[0] // 8, A.shape[1], 1))


_LETTER = {letter: ctypes.c_char_p(letter.encode()) for letter in "NTULR"}


def add_product(
    C: np.ndarray, A: np.ndarray, B: np.ndarray, scale: float, *, transpose_A: bool = False, transpose_B: bool = False
) -> None:
    """C += scale · op(A) op(B)."""
    m, n = C.shape
    k = A.shape[0] if transpose_A else A.shape[1]
    if not (m and n and k):
        return
    _routine("dgemm")(
        _LETTER["T" if transpose_B else "N"], _LETTER["T" if transpose_A else "N"], _int(n), _int(m), _int(k),
        _double(scale), *_matrix(B), *_matrix(A), _double(1.0), *_matrix(C),
    )  # fmt: skip


def add_square(C: np.ndarray, A: np.ndarray, scale: float) -> None:
    """The lower triangle of C += scale · A Aᵀ."""
    n, k = A.shape
    if n and k:
        _routine("dsyrk")(
            _LETTER["U"], _LETTER["T"], _int(n), _int(k), _double(scale), *_matrix(A), _double(1.0), *_matrix(C)
        )


def qr(A: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of A = H₁ H₂ … R: R, below its diagonal the vectors v of H = I − τ v vᵀ (their ones are left out), and the τ."""
    m, n = A.shape
    turned, tau, work = np.array(A.T, order="C"), np.empty(min(m, n)), np.empty(64 * n)
    info = ctypes.c_int(0)
    _routine("dgeqrf")(
        _int(m), _int(n), *_matrix(turned), tau.ctypes.data, work.ctypes.data, _int(work.size), ctypes.byref(info)
    )
    return turned.T, tau


def cholesky(A: np.ndarray) -> bool:
    """The lower triangle of A becomes L of A = L Lᵀ; False where a pivot is not positive. The rest is left as it is."""
    info = ctypes.c_int(0)
    _routine("dpotrf")(_LETTER["U"], _int(len(A)), *_matrix(A), ctypes.byref(info))
    return info.value == 0


def factorize_band(lower: np.ndarray) -> bool:
    """lower[c, d] = B_{c+d, c} becomes L of B = L Lᵀ, in the same places; False where a pivot is not positive."""
    n, height = lower.shape
    info = ctypes.c_int(0)
    _routine("dpbtrf")(_LETTER["L"], _int(n), _int(height - 1), *_matrix(lower), ctypes.byref(info))
    return info.value == 0


def solve_band(factor: np.ndarray, rows: np.ndarray) -> None:
    """Each row r ← (L Lᵀ)⁻¹ r, with the L of `factorize_band`."""
    n, height = factor.shape
    info = ctypes.c_int(0)
    _routine("dpbtrs")(
        _LETTER["L"], _int(n), _int(height - 1), _int(len(rows)), *_matrix(factor), *_matrix(rows), ctypes.byref(info)
    )


def divide_right(B: np.ndarray, L: np.ndarray) -> None:
    """B ← B L⁻ᵀ for a lower triangle L."""
    _triangular(B, L, "L", "T", B.shape[::-1])


def divide_left(L: np.ndarray, B: np.ndarray, *, transpose: bool = False) -> None:
    """B ← L⁻¹ B, or L⁻ᵀ B."""
    _triangular(B, L, "R", "T" if transpose else "N", B.shape[::-1])


def _triangular(B: np.ndarray, L: np.ndarray, side: str, transpose: str, shape: tuple[int, ...]) -> None:
    if B.size:
        _routine("dtrsm")(
            _LETTER[side], _LETTER["U"], _LETTER[transpose], _LETTER["N"], _int(shape[0]), _int(shape[1]),
            _double(1.0), *_matrix(L), *_matrix(B),
        )  # fmt: skip
