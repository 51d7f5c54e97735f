"""Steps of stochastic descent, in place: gradients with momentum (Nesterov's or plain), and Adam.

    SGD     v ← μ v − η g ,   w ← w + v           Nesterov:  w ← w + μ v − η g
    Adam    m ← β₁ m + (1 − β₁) g ,  s ← β₂ s + (1 − β₂) g² ,  w ← w − η √(1 − β₂ᵗ)/(1 − β₁ᵗ) · m/(√s + ε)

Weight decay is apart from the gradient (Loshchilov and Hutter): w ← w − η λ w, for weights and not for intercepts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from surefit import _native
from surefit._core.threads import threads_for

Schedule = Literal["constant", "invscaling", "adaptive"]
LEAST_RATE = 1e-6


@dataclass
class SGD:
    learning_rate_init: float
    schedule: Schedule = "constant"
    momentum: float = 0.9
    nesterov: bool = True
    power_t: float = 0.5
    learning_rate: float = 0.0
    velocities: list[np.ndarray] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.learning_rate = self.learning_rate or self.learning_rate_init

    def step(self, parameters: list[np.ndarray], gradients: list[np.ndarray]) -> None:
        if not self.velocities:
            self.velocities = [np.zeros_like(p) for p in parameters]
        for p, g, v in zip(parameters, gradients, self.velocities, strict=True):
            g *= p.dtype.type(self.learning_rate)
            v *= p.dtype.type(self.momentum)
            v -= g
            if self.nesterov:
                p += p.dtype.type(self.momentum) * v
                p -= g
            else:
                p += v

    def end_of_epoch(self, rows_seen: int) -> None:
        if self.schedule == "invscaling":
            self.learning_rate = self.learning_rate_init / (rows_seen + 1) ** self.power_t

    def stalled(self) -> bool:
        """No improvement: whether to stop. The adaptive rate falls to a fifth, as long as that is not too small."""
        if self.schedule != "adaptive" or self.learning_rate <= LEAST_RATE:
            return True
        self.learning_rate /= 5.0
        return False


@dataclass
class Adam:
    learning_rate_init: float
    beta_1: float = 0.9
    beta_2: float = 0.999
    epsilon: float = 1e-8
    t: int = 0
    learning_rate: float = 0.0
    means: list[np.ndarray] = field(default_factory=list)
    squares: list[np.ndarray] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.learning_rate = self.learning_rate or self.learning_rate_init

    def step(self, parameters: list[np.ndarray], gradients: list[np.ndarray]) -> None:
        means, squares = self.kept(parameters)
        self.count(1)
        rule = _native.Adam(0.0, 0.0, self.beta_1, self.beta_2, self.epsilon, self.learning_rate, 0)
        for p, g, m, s in zip(parameters, gradients, means, squares, strict=True):
            flat = (np.ravel(p), np.ravel(g), np.ravel(m), np.ravel(s))
            _native.adam_step(*flat, rule, 1.0, threads_for(p.size))

    def kept(self, parameters: list[np.ndarray]) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """m and s of the parameters."""
        if not self.means:
            self.means = [np.zeros_like(p) for p in parameters]
            self.squares = [np.zeros_like(p) for p in parameters]
        return self.means, self.squares

    def rule(self, alpha: float, weight_decay: float) -> _native.Adam:
        """What the next steps do, of which each has a rate of its own."""
        return _native.Adam(
            alpha, weight_decay, self.beta_1, self.beta_2, self.epsilon, self.learning_rate_init, self.t
        )

    def count(self, steps: int) -> None:
        """So many steps were taken."""
        self.t += steps
        if self.t:
            corrections = math.sqrt(1 - self.beta_2**self.t) / (1 - self.beta_1**self.t)
            self.learning_rate = self.learning_rate_init * corrections

    def end_of_epoch(self, rows_seen: int) -> None:
        """The rate does not depend on it."""

    def stalled(self) -> bool:
        return True


Optimizer = SGD | Adam
