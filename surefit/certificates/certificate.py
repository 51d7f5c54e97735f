"""A certificate: the claims of one fitted model and the verdict over all of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from surefit.certificates import presentation
from surefit.certificates.claim import CertificateError, Claim, Grade, weakest


class Certificate:
    """A tuple of claims about one fitted model.

    Iterating, indexing and `len` are those of the tuple; a claim is also found by its name.
    `holds` is true when every claim holds. `grade` is that of the weakest claim; claims that only inform (a condition
    number, an interval) do not enter it. `not_checked` names the fitted attributes and methods that no claim covers.
    """

    def __init__(
        self,
        claims: Iterable[Claim],
        model: str,
        n_rows: int,
        n_features: int,
        seconds: float = 0.0,
        cost: str = "",
        not_checked: Iterable[str] = (),
    ) -> None:
        self.claims: tuple[Claim, ...] = tuple(claims)
        self.model = str(model)
        self.n_rows = int(n_rows)
        self.n_features = int(n_features)
        self.seconds = float(seconds)
        self.cost = str(cost)
        self.not_checked: tuple[str, ...] = tuple(not_checked)

    def __iter__(self) -> Iterator[Claim]:
        return iter(self.claims)

    def __len__(self) -> int:
        return len(self.claims)

    def __getitem__(self, key: int | str) -> Claim:
        if isinstance(key, str):
            for claim in self.claims:
                if claim.name == key:
                    return claim
            raise KeyError(f"no claim {key!r}; there are {', '.join(c.name for c in self.claims)}")
        return self.claims[key]

    def __contains__(self, key: object) -> bool:
        return any(key == claim.name or key == claim for claim in self.claims)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Certificate) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    @property
    def holds(self) -> bool:
        return bool(self.claims) and all(claim.holds for claim in self.claims)

    @property
    def failures(self) -> tuple[Claim, ...]:
        return tuple(claim for claim in self.claims if not claim.holds)

    @property
    def grade(self) -> Grade:
        return weakest(self.claims)

    def raise_if_failed(self) -> Certificate:
        """Return the certificate, or raise `CertificateError` naming every claim that fails."""
        if not self.holds:
            raise CertificateError(presentation.failures(self))
        return self

    def to_dict(self) -> dict[str, Any]:
        return presentation.to_dict(self)

    def to_json(self, indent: int | None = None) -> str:
        return presentation.to_json(self, indent)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Certificate:
        """The inverse of `to_dict`. `grade` and `holds` of the whole are derived from the claims, never read."""
        return cls(**presentation.from_dict(data))

    @classmethod
    def from_json(cls, text: str) -> Certificate:
        return cls.from_dict(presentation.parse(text))

    def __str__(self) -> str:
        return presentation.table(self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return presentation.html(self)
