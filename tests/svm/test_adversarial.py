"""Fits to data that make support vector machines run forever end, and say how far they came."""

from __future__ import annotations

import pytest

from tests.svm.adversarial import fault, fits

FITS = list(fits(16))


@pytest.mark.parametrize("fit", FITS, ids=[label for label, *_ in FITS])
def test_every_fit_ends_and_states_its_gap(fit):
    _, model, X, y = fit
    assert fault(model, X, y) is None
