"""Run scikit-learn's own tests twice, with its classes and with surefit's in their place, and compare.

    python -m tests.dropin [-k EXPRESSION]

What counts: the cases that pass with scikit-learn's classes and touch surefit's when these are in their place. Tests of
scikit-learn's other classes and of its private functions run the same code both times and are left out. Every case that
counts and does not pass must stand in misses.toml with its reason; an entry that matches nothing must go. The share
that passes must be at least 95 %, over all modules.

A case that needs a private name of scikit-learn's (`private = "_name"` in its entry; the source of the test is asked
whether it speaks of it) is no use of the public interface: it counts as a miss of the whole, and is set apart in the
share of its module.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

import sklearn

from tests.dropin.private import speaks_of

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SKLEARN = Path(sklearn.__file__).resolve().parent
MODULES = (
    "cluster/tests/test_bisect_k_means.py",
    "cluster/tests/test_dbscan.py",
    "cluster/tests/test_hierarchical.py",
    "cluster/tests/test_k_means.py",
    "cluster/tests/test_spectral.py",
    "decomposition/tests/test_incremental_pca.py",
    "decomposition/tests/test_kernel_pca.py",
    "decomposition/tests/test_pca.py",
    "ensemble/_hist_gradient_boosting/tests/test_gradient_boosting.py",
    "ensemble/_hist_gradient_boosting/tests/test_monotonic_constraints.py",
    "ensemble/tests/test_bagging.py",
    "ensemble/tests/test_gradient_boosting.py",
    "ensemble/tests/test_weight_boosting.py",
    "ensemble/tests/test_forest.py",
    "linear_model/tests/test_base.py",
    "linear_model/tests/test_logistic.py",
    "linear_model/tests/test_perceptron.py",
    "linear_model/tests/test_quantile.py",
    "linear_model/tests/test_ridge.py",
    "manifold/tests/test_classical_mds.py",
    "manifold/tests/test_isomap.py",
    "manifold/tests/test_locally_linear.py",
    "manifold/tests/test_mds.py",
    "manifold/tests/test_spectral_embedding.py",
    "metrics/tests/test_ranking.py",
    "mixture/tests/test_bayesian_mixture.py",
    "mixture/tests/test_gaussian_mixture.py",
    "mixture/tests/test_mixture.py",
    "neighbors/tests/test_neighbors.py",
    "neural_network/tests/test_mlp.py",
    "svm/tests/test_sparse.py",
    "svm/tests/test_svm.py",
    "tests/test_discriminant_analysis.py",
    "tests/test_kernel_ridge.py",
    "tests/test_naive_bayes.py",
    "tests/test_random_projection.py",
    "tree/tests/test_export.py",
    "tree/tests/test_tree.py",
)
SHARE = 0.95


def run(classes: str, expression: str) -> dict[str, dict[str, Any]]:
    """Outcome and touch of every case, with `classes` = sklearn or surefit."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "outcomes.json"
        command = [sys.executable, "-m", "pytest", "-q", "--no-header", "--tb=line", "-n", "2", "-k", expression]
        command += ["-c", str(HERE / "pytest.ini"), "--rootdir", str(SKLEARN), *(str(SKLEARN / m) for m in MODULES)]
        environment = {**os.environ, "DROPIN": classes, "DROPIN_OUT": str(out), "PYTHONPATH": str(ROOT)}
        done = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, check=False)
        if not out.exists():
            sys.exit(f"scikit-learn's tests did not run with the classes of {classes}:\n{done.stdout}{done.stderr}")
        return json.loads(out.read_text())


def reason_for(case: str, misses: dict[str, str]) -> str | None:
    """The pattern in misses.toml that covers a case: its name, with or without the parameters, or with *."""
    for pattern in misses:
        if case == pattern or case.partition("[")[0] == pattern:
            return pattern
        if "*" in pattern and fnmatch.fnmatchcase(case, pattern.replace("[", "[[]")):
            return pattern
    return None


def print_share(module: str, cases: list[str], failed: list[str], apart: set[str]) -> None:
    if not cases:
        return
    passed, needs = len(set(cases) - set(failed)), len(apart.intersection(cases))
    line = f"  {module:<64} {passed:>4} of {len(cases):>4} cases pass: {passed / len(cases):.1%}"
    if needs:
        line += f", {needs} need private names: {passed / max(1, len(cases) - needs):.1%} of the others"
    print(line)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.dropin")
    parser.add_argument("-k", default="", dest="expression", help="only tests whose names match")
    expression = parser.parse_args().expression
    entries = tomllib.loads((HERE / "misses.toml").read_text("utf-8")).get("miss", [])
    misses = {entry["test"]: entry["reason"] for entry in entries}

    private = {entry["test"]: entry["private"] for entry in entries if "private" in entry}

    theirs, ours = run("sklearn", expression), run("surefit", expression)
    baseline = {case for case, one in theirs.items() if one["outcome"] == "passed"}
    gone = sorted(baseline - set(ours))
    counted = sorted(case for case in baseline & set(ours) if ours[case]["touched"])
    failed = [case for case in counted if ours[case]["outcome"] != "passed"]
    broken = sorted(c for c in baseline & set(ours) if not ours[c]["touched"] and ours[c]["outcome"] == "failed")
    unlisted = [case for case in failed + broken if reason_for(case, misses) is None] + gone
    used = {reason_for(case, misses) for case in failed + broken}
    stale = [] if expression else [pattern for pattern in misses if pattern not in used]

    apart = {case for case in failed if reason_for(case, misses) in private}
    claimed = [case for case in sorted(apart) if not speaks_of(SKLEARN, case, private[reason_for(case, misses) or ""])]

    print(f"scikit-learn {sklearn.__version__}: {len(theirs)} cases, {len(baseline)} pass with its own classes")
    for module in MODULES:
        print_share(module, [case for case in counted if case.startswith(module)], failed, apart)
    for case in unlisted:
        print(f"not listed: {case}\n    {ours.get(case, {}).get('why', 'is not collected with surefit')}")
    for case in claimed:
        print(f"listed as private, but its source does not speak of the name: {case}")
    for pattern in stale:
        print(f"listed, but it passes or is gone: {pattern}")
    share = 1 - len(failed) / max(1, len(counted))
    print(f"{share:.1%} of {len(counted)} cases pass; {len(failed)} misses, {len(unlisted)} cases without a reason")
    if unlisted or stale or claimed or not counted or (share < SHARE and not expression):
        faults = f"{len(unlisted)} unlisted, {len(stale)} stale, {len(claimed)} not private"
        sys.exit(f"drop-in test FAILED: {faults}; at least {SHARE:.0%} must pass")


if __name__ == "__main__":
    main()
