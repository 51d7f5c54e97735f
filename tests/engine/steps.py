"""Every step of the engine, with a state to run it on. A new step is added here and obeys the laws from then on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from surefit.engine.sources.block import Block
from surefit.engine.step import Step
from surefit.naive_bayes.mixed import MixedStep
from surefit.solvers.boosting.histogram_data import ExampleHashesStep, TargetsStep
from surefit.solvers.boosting.spread_targets import HoldOutStep, TargetFactsStep
from surefit.solvers.clustering.lloyd import FarStep, FarthestStep, Frame, LloydState, LloydStep
from surefit.solvers.clustering.seeding import SketchStep
from surefit.solvers.descent.perceptron import MistakesStep
from surefit.solvers.descent.squared_pass import Plane, SquaredStep
from surefit.solvers.discriminant.shrinkage import Centers, FourthPowersStep
from surefit.solvers.hinge.averaged_subgradient import LongestRowStep, SubgradientStep
from surefit.solvers.hinge.clipped_pass import Labels
from surefit.solvers.hinge.squared_hinge_pass import Point as HingePoint
from surefit.solvers.hinge.squared_hinge_pass import SquaredHingeStep
from surefit.solvers.least_squares.leave_one_out import LeaveOneOutStep, Path
from surefit.solvers.least_squares.refine import Answer, GapStep, PlainGapStep
from surefit.solvers.least_squares.tsqr import Shift, TriangularStep
from surefit.solvers.logistic.logistic_pass import LogisticStep, Point, ScoreRangeStep
from surefit.solvers.logistic.overview import OverviewStep
from surefit.solvers.logistic.second_derivative import (
    BinaryHessianStep,
    CurvatureStep,
    HessianStep,
    ScoreHessiansStep,
    SparseGramStep,
)
from surefit.solvers.mixture.gaussians import Components, ExpectationStep, density_of
from surefit.solvers.mixture.starts import GivenSharesStep
from surefit.solvers.numerics.twofold import exact
from surefit.solvers.principal.eigen_qr import FactorStep
from surefit.solvers.principal.eigen_subspace import PowerStep, RitzStep
from surefit.summaries.bins import SketchRowsStep
from surefit.summaries.category_counts import CategoryCountsStep
from surefit.summaries.class_moments import ClassMomentsStep
from surefit.summaries.class_spread import ClassSpreadStep
from surefit.summaries.class_sums import ClassSumsStep
from surefit.summaries.code_range import CodeRangeStep
from surefit.summaries.column_spread import ColumnSumsStep, DenseSpreadStep
from surefit.summaries.moments import MomentsStep
from surefit.summaries.selection import Search


class Totals(NamedTuple):
    weight: float
    sums: np.ndarray
    n_rows: int


class TotalsStep(Step):
    """Weighted column sums of (X − state), in plain NumPy: the simplest step there is."""

    def map_leaf(self, state: np.ndarray, leaf: Block) -> Totals:
        w = np.ones(leaf.n_rows) if leaf.w is None else leaf.w
        X = leaf.X.toarray() if not isinstance(leaf.X, np.ndarray) else leaf.X
        sums = np.array([w @ column for column in (X.astype(np.float64) - state).T])
        return Totals(float(w.sum()), sums if leaf.y is None else np.append(sums, w @ leaf.y), leaf.n_rows)

    def combine(self, left: Totals, right: Totals) -> Totals:
        return Totals(left.weight + right.weight, left.sums + right.sums, left.n_rows + right.n_rows)


def rounded(statistic: Any) -> Any:
    """Without the low parts of numbers, which are rounding themselves."""
    if hasattr(statistic, "_fields"):
        parts = zip(statistic._fields, statistic, strict=True)
        return tuple(None if name in ("low", "lows") else rounded(part) for name, part in parts)
    return tuple(map(rounded, statistic)) if isinstance(statistic, tuple) else statistic


@dataclass
class Case:
    """A step, and the state it is run with on data of d features, of type dtype, perhaps sparse."""

    name: str
    step: Step
    state: Callable[[int, Any, bool], Any] = lambda d, dtype, sparse: None
    merged: Callable[[Any], Any] = rounded
    """What of the statistic is associative: a triangular factor is so only up to signs."""
    classes: int = 0
    """y holds this many classes, coded 0, 1, …; numbers if 0."""


def _mixture_state(by_features: bool) -> Callable[[int, Any, bool], Any]:
    def state(d: int, dtype: Any, sparse: bool) -> Any:
        rng = np.random.default_rng(12)
        components = Components(np.full(3, 1 / 3), rng.standard_normal((3, d)), np.ones((3, d)), "diag")
        return density_of(components)._replace(by_features=by_features), np.full(d, 100.0), np.full(d, 1e-3)

    return state


def _lloyd_state(d: int, dtype: Any, sparse: bool) -> LloydState:
    centers = 100.0 + np.random.default_rng(5).standard_normal((5, d))
    shift = None if sparse else np.full(d, 100.0, dtype)
    return LloydState(np.ascontiguousarray(centers.astype(dtype), np.float64), Frame(shift, 1.0))


def _basis_state(d: int, dtype: Any, sparse: bool) -> tuple[np.ndarray, np.ndarray]:
    return np.full(d, 99.5), np.random.default_rng(6).standard_normal((d, 3))


def _shift(d: int) -> Shift:
    return Shift(np.full(d + 1, 99.5), 2.0 ** np.random.default_rng(7).integers(-3, 3, d + 1), True)


def _gap_state(d: int, dtype: Any, sparse: bool) -> tuple[Shift, Answer]:
    rng = np.random.default_rng(9)
    return _shift(d), Answer(exact(rng.standard_normal((1, d))), exact(rng.standard_normal(1)))


def _plain_gap_state(d: int, dtype: Any, sparse: bool) -> tuple[Shift, np.ndarray]:
    return _shift(d), np.random.default_rng(9).standard_normal((1, d))


def _point_state(classes: int) -> Callable[[int, Any, bool], Point]:
    def state(d: int, dtype: Any, sparse: bool) -> Point:
        rng = np.random.default_rng(10)
        scores = 1 if classes == 2 else classes
        point = rng.standard_normal((scores, d)) / 1000, rng.standard_normal(scores)
        return Point(*point, rng.uniform(0.5, 2.0, classes), dtype == np.float32)

    return state


def _hinge_state(every: int = 1, base: bool = True) -> Callable[[int, Any, bool], HingePoint]:
    def state(d: int, dtype: Any, sparse: bool) -> HingePoint:
        rng = np.random.default_rng(11)
        theta, earlier = rng.standard_normal((2, d + 1)) / 100
        return HingePoint(Labels(1, rng.uniform(0.5, 2.0, 3)), theta, earlier if base else None, every=every)

    return state


def _subgradient_state(d: int, dtype: Any, sparse: bool) -> tuple[Labels, np.ndarray]:
    rng = np.random.default_rng(11)
    return Labels(1, rng.uniform(0.5, 2.0, 3)), rng.standard_normal(d + 1) / 100


def _plane_state(places: int) -> Callable[[int, Any, bool], Plane]:
    def state(d: int, dtype: Any, sparse: bool) -> Plane:
        rng = np.random.default_rng(12)
        return Plane(rng.standard_normal((places, d)), rng.standard_normal(places))

    return state


def _planes_state(d: int, dtype: Any, sparse: bool) -> tuple[np.ndarray, np.ndarray]:
    return tuple(_plane_state(3)(d, dtype, sparse))


def _class_weight(d: int, dtype: Any, sparse: bool) -> np.ndarray:
    return np.array([0.75, 1.5, 1.1])


def _centres(d: int, dtype: Any, sparse: bool) -> Centers:
    rng = np.random.default_rng(11)
    means, scales = 100 + rng.standard_normal((3, d)), rng.uniform(0.5, 2.0, (3, d))
    return Centers(means, scales, (means[0], scales[1]))


def _path_state(d: int, dtype: Any, sparse: bool) -> Path:
    rng = np.random.default_rng(8)
    basis = np.linalg.qr(rng.standard_normal((d, d)))[0]
    return Path(np.full(d + 1, 99.5), basis, np.full((d, 2), 1e-12), rng.standard_normal((d, 2)), 1e-6)


def _mixed_step() -> MixedStep:
    steps = {"gaussian": ClassSpreadStep(3), "bernoulli": ClassSumsStep(3, 99.5), "categorical": ClassSumsStep(3)}
    return MixedStep({"gaussian": np.array([0, 2, 5]), "bernoulli": np.array([1, 7])}, steps)


def _working_step() -> HessianStep:
    return HessianStep(np.full(3, 99.5), True, np.array([1, 2, 6]))


def _gram(R: np.ndarray) -> np.ndarray:
    return R.T @ R


FIRST_DIGIT = Search(np.zeros(1, dtype=np.intp), np.zeros(1, dtype=np.uint64), 0)

CASES = [
    Case("totals", TotalsStep(), lambda d, dtype, sparse: np.linspace(-1.0, 1.0, d)),
    Case("moments", MomentsStep(with_target=False)),
    Case("moments with a target", MomentsStep(with_target=True)),
    Case("class moments", ClassMomentsStep(3, pooled=True), classes=3),
    Case("moments of each class", ClassMomentsStep(3, pooled=False), classes=3),
    Case("class moments with factors", ClassMomentsStep(3, pooled=True), _class_weight, classes=3),
    Case("class spread", ClassSpreadStep(3), classes=3),
    Case("class spread with missing values", ClassSpreadStep(3, missing=True), classes=3),
    Case("class sums", ClassSumsStep(3), classes=3),
    Case("class sums above a threshold", ClassSumsStep(3, 99.5), classes=3),
    Case("category counts", CategoryCountsStep(3, np.full(8, 2)), classes=3),
    Case("mixed columns", _mixed_step(), classes=3),
    Case("fourth powers", FourthPowersStep(), _centres, classes=3),
    Case("lloyd", LloydStep(), _lloyd_state),
    Case("far rows", FarStep(7), _lloyd_state),
    Case("sums of a mixture, by features", ExpectationStep(), _mixture_state(True)),
    Case("sums of a mixture, by deviations", ExpectationStep(), _mixture_state(False)),
    Case(
        "sums of given shares",
        GivenSharesStep(np.zeros((2, 8)), True),
        lambda d, dtype, sparse: (np.zeros(d), np.ones(d)),
    ),
    Case("rows that bins are found on", SketchRowsStep(50)),
    Case("targets and weights", TargetsStep()),
    Case("hashes of examples", ExampleHashesStep()),
    Case("weights and ranges of targets", TargetFactsStep(), lambda d, dtype, sparse: 0),
    Case("digits of examples held out", HoldOutStep(), lambda d, dtype, sparse: (3, 1e6, False, FIRST_DIGIT)),
    Case("range of codes", CodeRangeStep(), lambda d, dtype, sparse: np.arange(2)),
    Case("sketch", SketchStep(50)),
    Case("sketch below a bound", SketchStep(50), lambda d, dtype, sparse: np.uint64(2**64 // 20)),
    Case("triangle", TriangularStep(), lambda d, dtype, sparse: Shift(np.ones(d + 1), np.ones(d + 1), True), _gram),
    Case("factor", FactorStep(), merged=lambda factor: (factor.weight, factor.mean, _gram(factor.R))),
    Case("spread of columns", DenseSpreadStep(), _class_weight, classes=3),
    Case("spread of scaled columns", DenseSpreadStep(0.125)),
    Case("spread of targets", DenseSpreadStep(of_targets=True)),
    Case("farthest from a point", FarthestStep(), lambda d, dtype, sparse: np.full(d, 99.0)),
    Case("power", PowerStep(), _basis_state),
    Case("ritz", RitzStep(), _basis_state, _gram),
    Case("gap", PlainGapStep(), _plain_gap_state),
    Case("gap in twice the precision", GapStep(), _gap_state, lambda gap: (gap.g.value, gap.g0.value)),
    Case("leave one out", LeaveOneOutStep(), _path_state),
    Case("logistic", LogisticStep(), _point_state(2), classes=2),
    Case("logistic of three classes", LogisticStep(), _point_state(3), classes=3),
    Case("logistic overview", OverviewStep(3, with_moments=True), _class_weight, classes=3),
    Case("logistic overview at every third leaf", OverviewStep(3, True, every=3), _class_weight, classes=3),
    Case("logistic curvature", BinaryHessianStep(), _point_state(2), classes=2),
    Case("softmax curvature", HessianStep(np.full(8, 99.5), True), _point_state(3), classes=3),
    Case("softmax curvature of each score", ScoreHessiansStep(), _point_state(3), classes=3),
    Case("softmax curvature of the intercepts", CurvatureStep(), _point_state(3), classes=3),
    Case("logistic curvature of a few columns", _working_step(), _point_state(2), classes=2),
    Case("sums of sparse columns", ColumnSumsStep(), _class_weight, classes=3),
    Case("logistic curvature of a few sparse columns", SparseGramStep(np.array([1, 2, 6])), _point_state(2), classes=2),
    Case("softmax curvature of a few columns", _working_step(), _point_state(3), classes=3),
    Case("logistic score range", ScoreRangeStep(), _point_state(3), classes=3),
    Case("squared hinge", SquaredHingeStep(), _hinge_state(), classes=3),
    Case("squared hinge from nowhere", SquaredHingeStep(), _hinge_state(base=False), classes=3),
    Case("squared hinge at every second leaf", SquaredHingeStep(), _hinge_state(every=2), classes=3),
    Case("subgradient of the hinge", SubgradientStep(), _subgradient_state, classes=3),
    Case("longest row", LongestRowStep()),
    Case("mistakes of three planes", MistakesStep(), _planes_state, classes=3),
    Case("squared error and slope", SquaredStep(with_gradient=True), _plane_state(1)),
    Case("squared error at two places", SquaredStep(with_gradient=False), _plane_state(2)),
    Case("squares along directions", SquaredStep(with_gradient=True, with_target=False), _plane_state(3)),
]


def arrays_of(statistic: Any) -> list[np.ndarray]:
    """All numbers of a statistic, however it is put together, as a flat list of arrays."""
    if statistic is None:
        return []
    if sp.issparse(statistic):
        return [statistic.data, statistic.indices, statistic.indptr]
    if isinstance(statistic, dict):
        return [array for key in sorted(statistic) for array in arrays_of(statistic[key])]
    if isinstance(statistic, (tuple, list)):
        return [array for part in statistic for array in arrays_of(part)]
    if hasattr(statistic, "__dict__") and not isinstance(statistic, np.ndarray):
        return arrays_of(vars(statistic))
    if isinstance(statistic, int) and statistic.bit_length() > 63:
        return [np.frombuffer(statistic.to_bytes(320, "little", signed=True), dtype=np.uint8)]
    return [np.asarray(statistic)]


def same_bits(left: Any, right: Any) -> bool:
    one, two = arrays_of(left), arrays_of(right)
    return len(one) == len(two) and all(
        a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes() for a, b in zip(one, two, strict=True)
    )
