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
    """How far from a fixed point is no fault; the share that one more step saves makes the certificate BOUNDED."""
    if claim.holds and claim.grade != Grade.BOUNDED:
        return claim
    sentence = f"Found by samples of rows, which end near a fixed point: KMeans goes on from here. {claim.sentence}"
    limit = 1.0 if claim.name == "fixed_point" else None
    return replace(claim, sentence=sentence, grade=Grade.BOUNDED, limit=limit, holds=True)
