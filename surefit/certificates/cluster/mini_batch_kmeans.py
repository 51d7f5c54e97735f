"""Checker of MiniBatchKMeans: nearest labels and inertia as of KMeans; the way to a fixed point is told."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from surefit.certificates.blocks import Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade
from surefit.certificates.cluster.kmeans import check_kmeans

TOLD = {"centers": None, "fixed_point": 0.25, "centers_used": None}  # more than a limit is not near a fixed point


@checker("cluster_centers_", "labels_", "inertia_", "predict", "transform")
def check_mini_batch_kmeans(model: Any, blocks: Blocks, tol: float) -> Findings:
    """As KMeans."""
    claims, cost = check_kmeans(model, blocks, tol)
    if getattr(model, "compute_labels", True) is False and not hasattr(model, "labels_"):
        claims = [_estimated(claim) if claim.name == "inertia" else claim for claim in claims]
    return [_told(claim) if claim.name in TOLD else claim for claim in claims], cost


def _estimated(claim: Claim) -> Claim:
    """Without labels inertia_ is reckoned from the samples alone."""
    truth = f"all rows give {claim.detail['recomputed']:.10g}"
    sentence = f"With compute_labels=False inertia_ is estimated from samples: not checked; {truth}."
    return Claim("inertia", sentence, Grade.UNPROVED, None, None, True, claim.detail)


def _told(claim: Claim) -> Claim:
    """Up to its limit it is no fault what one more step saves, but makes the certificate BOUNDED."""
    limit = TOLD[claim.name]
    if claim.holds and claim.grade != Grade.BOUNDED:
        return claim
    if limit is not None and not (claim.value or 0.0) <= limit + claim.excuse:
        return replace(claim, limit=limit)
    sentence = f"Found by samples of rows, which end near a fixed point: KMeans goes on from here. {claim.sentence}"
    return replace(claim, sentence=sentence, grade=Grade.BOUNDED, limit=limit, holds=True)
