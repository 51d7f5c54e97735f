"""Checker of MiniBatchKMeans: nearest labels and inertia as of KMeans; the way to a fixed point is told only."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from surefit.certificates.blocks import Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade
from surefit.certificates.cluster.kmeans import check_kmeans

TOLD = ("centers", "fixed_point", "centers_used")


@checker("cluster_centers_", "labels_", "inertia_", "predict", "transform")
def check_mini_batch_kmeans(model: Any, blocks: Blocks, tol: float) -> Findings:
    """As KMeans."""
    claims, cost = check_kmeans(model, blocks, tol)
    if getattr(model, "compute_labels", True) is False and not hasattr(model, "labels_"):
        claims = [_estimated(claim) if claim.name == "inertia" else claim for claim in claims]
    return [_told(claim) if claim.name in TOLD else claim for claim in claims], cost


def _estimated(claim: Claim) -> Claim:
    """Without labels inertia_ is reckoned from the samples alone."""
    truth = claim.detail["recomputed"]
    sentence = f"With compute_labels=False inertia_ is estimated from samples: not checked. All rows give {truth:.10g}."
    return Claim("inertia", sentence, Grade.UNPROVED, None, None, True, claim.detail)


def _told(claim: Claim) -> Claim:
    """Samples of rows end near a fixed point of Lloyd's iteration, not at one."""
    if claim.holds and claim.grade != Grade.BOUNDED:
        return claim
    value = claim.value if claim.value is not None else float("nan")
    sentences = {
        "centers": f"Moving one center to the mean of its rows would save {value:.2g} of its cluster's sum.",
        "fixed_point": f"One more step of Lloyd's iteration would save {value:.2g} of the inertia: KMeans goes on from "
        "these centers to a fixed point.",
        "centers_used": f"{value:g} centers have no rows, or equal another.",
    }
    sentence = "Found by samples of rows, and not a fixed point. " + sentences[claim.name]
    return replace(claim, sentence=sentence, grade=Grade.BOUNDED, limit=None, holds=True)
