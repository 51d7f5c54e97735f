"""Floor 2: kernels as expressions, and their Gram matrices in blocks."""

from surefit.kernels.algebra import Exp, Mapped, OnColumns, PolynomialOf, Power, Product, Scaled, Sum, Weighted
from surefit.kernels.distances import AdditiveChi2, Chi2, Gaussian, InverseMultiquadric, Laplacian, Multiquadric
from surefit.kernels.gram import GramRows, gram_blocks
from surefit.kernels.kernel import Constant, Kernel
from surefit.kernels.products import Bilinear, Cosine, Linear, Polynomial, Sigmoid
from surefit.kernels.resolve import FromFunction, Precomputed, gamma_scale, resolve_kernel, take_inputs

__all__ = [
    "AdditiveChi2",
    "Bilinear",
    "Chi2",
    "Constant",
    "Cosine",
    "Exp",
    "FromFunction",
    "Gaussian",
    "GramRows",
    "InverseMultiquadric",
    "Kernel",
    "Laplacian",
    "Linear",
    "Mapped",
    "Multiquadric",
    "OnColumns",
    "Polynomial",
    "PolynomialOf",
    "Power",
    "Precomputed",
    "Product",
    "Scaled",
    "Sigmoid",
    "Sum",
    "Weighted",
    "gamma_scale",
    "gram_blocks",
    "resolve_kernel",
    "take_inputs",
]
