"""Gradient descent on the error surface of least squares, all rows at once.

Plain:     v ← v + η g,  g = B − Hv the mean of r x̃           Widrow and Hoff's rule, summed over the rows
Automatic: v ← v + η p,  p = g + μ p₋                          with momentum

where η and μ are at every step the best there are: η = g·g / p·Hp goes to the lowest point along p, and
μ = g·g / g₋·g₋ makes the directions conjugate, so what was gained along one is never lost again. Under squared error
that is the method of conjugate gradients (Hestenes and Stiefel 1952): rates need not be chosen, and p columns need at
most p steps but for rounding, against which new slopes are freed of their parts along all earlier ones.

The distance to the least error is f(v) − f* = g·H⁻¹g ≤ ‖g‖²/λ, with λ the smallest curvature that is not zero (slopes
have no part where the curvature is zero). Descent stops when this is at most tol·(f* + 10⁻⁹(c − f)): a share of the
least error, or where there is no noise a share of what was gained.

Where λ is not known (`RowsSurface`) the distance is an estimate. With momentum λ is that of the curvatures met on the
way: rates and momenta are the coefficients of Lanczos' tridiagonal matrix, whose smallest eigenvalue comes down to λ.
Without, the gain of the last LATE steps stands for the distance, LATE times over.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.linalg import eigvalsh_tridiagonal

from surefit._core.errors import InvalidParameter
from surefit.solvers.descent.squared_surface import EPS, Surface

LATE = 10
NO_NOISE = 1e-9
ROUNDED = 1e-9
"""A gap that is as good as none, whatever the tolerance."""
BASIS_NUMBERS = 2**24
AfterStep = Callable[[Callable[[], tuple[np.ndarray, np.ndarray]], float, int], bool]
"""Told (how to get the coefficients, mean squared error, number of the step); True to stop."""


class Descent(NamedTuple):
    v: np.ndarray
    n_iter: int
    history: list[float]
    """Mean squared error (mean over the targets) after each step."""
    rel_gap: float
    """Largest of the targets: distance to the least error, as a share of what it is compared with."""
    finished: bool
    exhausted: bool
    """Whether the slope is nothing but rounding: no step can do better."""


class _Ruler:
    """Measures how far there is to go."""

    def __init__(self, surface: Surface) -> None:
        self.surface = surface
        self.values: list[np.ndarray] = []
        self.exhausted = False

    def rel_gap(self, v: np.ndarray, f: np.ndarray, G: np.ndarray, lowest: float | None = None) -> np.ndarray:
        """For each target; a slope that is nothing but rounding counts as large as that. `lowest`: an estimate of λ."""
        self.values.append(f)
        squares, rounding = (G**2).sum(axis=1), self.surface.rounding(v) ** 2
        self.exhausted = bool((squares <= rounding).all())
        squares = np.where(squares > 0, np.maximum(squares, rounding), 0.0)
        if self.surface.lowest is not None:
            gap = squares / self.surface.lowest
        elif lowest is not None:
            gap = np.minimum(squares / lowest, f)
        elif len(self.values) > LATE:
            gap = np.minimum(LATE * np.maximum(self.values[-1 - LATE] - f, 0.0), f)
        else:
            gap = f
        limit = np.maximum(f - gap, 0.0) + NO_NOISE * np.maximum(self.surface.at_zero - f, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(gap > 0, gap / limit, 0.0)


class _Met:
    """The curvatures met on the way, for a surface that does not know its own."""

    def __init__(self, surface: Surface, n_targets: int) -> None:
        self._noise = 4 * surface.width * EPS * surface.length
        self._paths: list[list[tuple[float, float]]] = [[] for _ in range(n_targets if surface.lowest is None else 0)]
        self._lowest: float | None = None
        self._count = 0

    def add(self, rate: np.ndarray, momentum: np.ndarray) -> None:
        self._count += 1
        for path, *step in zip(self._paths, rate, momentum, strict=False):
            if step[0] > 0:
                path.append((float(step[0]), float(step[1])))

    def lowest(self) -> float | None:
        """The smallest so far, looked for at every LATE-th step and at the first ones; None where none is known."""
        if self._paths and (self._count <= LATE or self._count % LATE == 0):
            found = [value for path in self._paths if path for value in self._values(path) if value > self._noise]
            self._lowest = min(found, default=None)
        return self._lowest

    def _values(self, path: list[tuple[float, float]]) -> np.ndarray:
        rate, momentum = np.array(path).T
        diagonal = 1 / rate
        diagonal[1:] += momentum[:-1] / rate[:-1]
        return eigvalsh_tridiagonal(diagonal, np.sqrt(momentum[:-1]) / rate[:-1])


def automatic(surface: Surface, v: np.ndarray, tol: float, max_iter: int, after_step: AfterStep) -> Descent:
    """Best rate and momentum at every step."""
    ruler = _Ruler(surface)
    f, G = surface.slope(v)
    history: list[float] = []
    P, squares = G, (G**2).sum(axis=1)
    fresh = squares
    earlier, met = _Earlier(surface, len(v), max_iter), _Met(surface, len(v))
    share = np.full(len(v), np.inf)
    for number in range(1, max_iter + 1):
        earlier.add(G, squares)
        Q = surface.curve(P)
        along = (P * Q).sum(axis=1)
        rate = np.where(along > 0, squares / np.where(along > 0, along, 1.0), 0.0)[:, None]
        v = v + rate * P
        f = np.maximum(f - rate[:, 0] * squares, 0.0)
        G = earlier.freed(G - rate * Q)
        before, squares = squares, (G**2).sum(axis=1)
        momentum = np.where(before > 0, squares / np.where(before > 0, before, 1.0), 0.0)
        P = G + momentum[:, None] * P
        met.add(rate[:, 0], momentum)
        share = ruler.rel_gap(v, f, G, met.lowest())
        done = bool((share <= tol).all()) or ruler.exhausted
        if done:  # G was kept up to date; see whether it is true
            f, G = surface.slope(v)
            share = ruler.rel_gap(v, f, G, met.lowest())
            squares = (G**2).sum(axis=1)
            ruler.exhausted = ruler.exhausted or bool((squares > fresh / 4).all())
            done = bool((share <= tol).all()) or ruler.exhausted
            P, fresh = G, squares
            earlier, met = _Earlier(surface, len(v), max_iter), _Met(surface, len(v))
        history.append(float(f.mean()))
        if after_step(_coefficients(surface, v), history[-1], number) or done:
            break
    finished = bool((share <= max(tol, ROUNDED)).all())
    return Descent(v, len(history), history, float(share.max()), finished, ruler.exhausted)


def plain(
    surface: Surface,
    v: np.ndarray,
    eta0: float | None,
    power: float,
    tol: float,
    max_iter: int,
    after_step: AfterStep,
) -> Descent:
    """Steps of size eta0 / t^power, t = 1, 2, …; eta0 None: 2/(λmax + λmin), the best constant one."""
    ruler = _Ruler(surface)
    eta0 = best_rate(surface) if eta0 is None else eta0
    f, G = surface.slope(v)
    at_start = np.maximum(f, surface.at_zero)
    history: list[float] = []
    share = np.full(len(v), np.inf)
    done = False
    for number in range(1, max_iter + 1):
        with np.errstate(over="ignore", invalid="ignore"):
            v = v + eta0 / number**power * G
            f, G = surface.slope(v)
            grown = ~np.isfinite(f) | ~np.isfinite(G).all(axis=1) | (f > 1e100 * at_start)
        if grown.any():
            raise InvalidParameter(_diverged(surface, eta0))
        with np.errstate(over="ignore"):
            share = ruler.rel_gap(v, f, G)
        done = bool((share <= tol).all()) or ruler.exhausted
        # an error that rises gains nothing, and would pass for one that has come to rest
        if (done or number == max_iter) and (f > at_start).any():
            raise InvalidParameter(_diverged(surface, eta0))
        history.append(float(f.mean()))
        if after_step(_coefficients(surface, v), history[-1], number) or done:
            break
    finished = bool((share <= max(tol, ROUNDED)).all())
    return Descent(v, len(history), history, float(share.max()), finished, ruler.exhausted)


def best_rate(surface: Surface) -> float:
    """2/(λmax + λmin), or where the curvatures are not known 1/λmax by the power method."""
    if surface.lowest is not None and surface.highest is not None:
        return 2.0 / (surface.highest + surface.lowest) if surface.highest > 0 else 1.0
    return 1.0 / (1.1 * largest_curvature(surface))


def largest_curvature(surface: Surface) -> float:
    """λmax to some per cent, from below."""
    direction = np.random.default_rng(0).standard_normal((1, surface.width))
    value = surface.length
    for _ in range(20):
        direction = direction / np.linalg.norm(direction)
        direction = surface.curve(direction)
        value = float(np.linalg.norm(direction))
        if value == 0:
            return 1.0
    return value


def _diverged(surface: Surface, eta0: float) -> str:
    most = 2.0 / (surface.highest if surface.highest else largest_curvature(surface))
    return (
        f"descent diverges: LMSRegressor(eta0=…) must be below 2/λ = {most:.3g} for this data, λ its largest "
        f"curvature; got {eta0:g}. Give less, or None to have it chosen."
    )


def _coefficients(surface: Surface, v: np.ndarray) -> Callable[[], tuple[np.ndarray, np.ndarray]]:
    return lambda: surface.outer(v)


class _Earlier:
    """The directions of all earlier slopes, as unit vectors; none where they would fill the memory."""

    def __init__(self, surface: Surface, n_targets: int, max_iter: int) -> None:
        most = min(surface.width, max_iter) + 1
        fits = surface.lowest is not None and n_targets * most * surface.width <= BASIS_NUMBERS
        self._units = [np.empty((most, surface.width)) for _ in range(n_targets)] if fits else []
        self._most, self._count = most, 0

    def add(self, G: np.ndarray, squares: np.ndarray) -> None:
        if self._units and self._count < self._most:
            for units, g, square in zip(self._units, G, squares, strict=True):
                units[self._count] = g / np.sqrt(square) if square > 0 else 0.0
            self._count += 1

    def freed(self, G: np.ndarray) -> np.ndarray:
        if not self._units or self._count == 0:
            return G
        G = G.copy()
        for g, units in zip(G, self._units, strict=True):
            known = units[: self._count]
            g -= (known @ g) @ known
        return G
