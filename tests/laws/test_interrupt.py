"""Ctrl-C stops a long fit with KeyboardInterrupt, and the estimator is as it was."""

from __future__ import annotations

import subprocess
import sys

import pytest
import sklearn.base
from sklearn.utils import get_tags

from tests.laws.registry import estimator_classes

LONG_FIT = """
import os, signal, sys, threading
import numpy as np
from surefit.{family} import {name}

X = np.random.default_rng(0).normal(size=(1_500_000, 40))
X = {rows}
y = X[:, 0]{labels}
model = {name}({settings}).fit(X[:500], y[:500])
before = dict(vars(model))
threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    while True:
        model.fit(X, y)
        before = dict(vars(model))
except KeyboardInterrupt:
    print("interrupted", vars(model) == before)
"""


@pytest.mark.parametrize("cls", estimator_classes(), ids=lambda cls: cls.__name__)
def test_interrupt(cls):
    settings = {"KMeans": "n_clusters=50"}.get(cls.__name__, "")
    family = cls.__module__.split(".")[1]
    labels = " > 0.5" if sklearn.base.is_classifier(cls()) else ""
    rows = "np.abs(X)" if get_tags(cls()).input_tags.positive_only else "X"
    program = LONG_FIT.format(family=family, name=cls.__name__, settings=settings, labels=labels, rows=rows)
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=False)
    assert run.stdout.strip() == "interrupted True", run.stdout + run.stderr
    assert run.returncode == 0
