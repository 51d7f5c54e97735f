"""Floor 2: kernels as expressions, and their Gram matrices in blocks."""

from surefit.kernels.algebra import (
    Exp,
    Mapped,
    Normalized,
    OnColumns,
    PolynomialOf,
    Power,
    Product,
    Scaled,
    Sum,
    Weighted,
)
from surefit.kernels.distances import AdditiveChi2, Chi2, Gaussian, InverseMultiquadric, Laplacian, Multiquadric
from surefit.kernels.generative import DensityProduct, GaussianLatent, MixtureDensity
from surefit.kernels.gram import GramRows, gram_blocks
from surefit.kernels.hidden_markov import HiddenMarkov
from surefit.kernels.kernel import Constant, Kernel
from surefit.kernels.products import Bilinear, Cosine, Linear, Polynomial, Sigmoid
from surefit.kernels.resolve import FromFunction, Precomputed, gamma_scale, resolve_kernel, take_inputs
from surefit.kernels.sequences import Spectrum, Subsequence
from surefit.kernels.sets import SetIntersection

__all__ = [
    "AdditiveChi2",
    "Bilinear",
    "Chi2",
    "Constant",
    "Cosine",
    "DensityProduct",
    "Exp",
    "FromFunction",
    "Gaussian",
    "GaussianLatent",
    "GramRows",
    "HiddenMarkov",
    "InverseMultiquadric",
    "Kernel",
    "Laplacian",
    "Linear",
    "Mapped",
    "MixtureDensity",
    "Multiquadric",
    "Normalized",
    "OnColumns",
    "Polynomial",
    "PolynomialOf",
    "Power",
    "Precomputed",
    "Product",
    "Scaled",
    "SetIntersection",
    "Sigmoid",
    "Spectrum",
    "Subsequence",
    "Sum",
    "Weighted",
    "gamma_scale",
    "gram_blocks",
    "resolve_kernel",
    "take_inputs",
]
