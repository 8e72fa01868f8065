"""Generalized Mallows: a dispersion parameter of its own for every rank that is filled."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from rankagg._typing import Floats, Label, Ranks
from rankagg._validation import as_numbers
from rankagg.core.items import counted
from rankagg.core.profile import Profile
from rankagg.core.rankings.partial import Permutation
from rankagg.core.value import array_key, frozen_array
from rankagg.distributions.base import RankingDistribution
from rankagg.distributions.mallows import stages
from rankagg.distributions.mallows.kendall_distances import (
    as_center,
    stage_log_normalizers,
    stage_means,
)
from rankagg.exceptions import Described, InvalidInputError

if TYPE_CHECKING:
    from rankagg.distributions.mallows.generalized_fit import GeneralizedMallowsFit

__all__ = ["GeneralizedMallows"]


class GeneralizedMallows(RankingDistribution):
    """Permutations whose ranks are filled one after another, each with its own care.

    For rank k + 1 there are n - k items left, k from 0. The chance that the item that is chosen
    passes over v of those that stand before it in the center is proportional to
    exp(-thetas[k] v). With all thetas alike this is `Mallows`. The probability of a ranking whose
    tail is unlisted is that of its compatible permutations together; other partial rankings and
    tied ones have none here.

    Parameters
    ----------
    center : Permutation or iterable of str or int
        The center; labels, best first.
    thetas : array_like of float, shape (n - 1,)
        Dispersion parameters, not negative and finite, from the first rank to the last but one;
        of each, phi = exp(-theta).

    Attributes
    ----------
    center : Permutation
        The center.
    thetas : ndarray of float, shape (n - 1,)
        The dispersion parameters.

    References
    ----------
    Fligner and Verducci (1986), "Distance based ranking models",
    https://doi.org/10.1111/j.2517-6161.1986.tb01420.x.

    Examples
    --------
    >>> from rankagg import GeneralizedMallows, Permutation
    >>> mallows = GeneralizedMallows("ABC", thetas=[2.0, 0.0])  # sure of the winner only
    >>> mallows.rank_probabilities().round(3)
    array([[0.867, 0.067, 0.067],
           [0.117, 0.441, 0.441],
           [0.016, 0.492, 0.492]])
    """

    center: Permutation
    thetas: Floats

    def __init__(self, center: Permutation | Iterable[Label], thetas: ArrayLike) -> None:
        middle = as_center(center)
        values = as_numbers(thetas, "thetas")
        if len(values) != middle.n_items - 1:
            allowed = f"one number per rank but the last ({middle.n_items - 1} of them)"
            raise InvalidInputError("thetas", allowed, Described(counted(len(values), "number")))
        if not (np.isfinite(values) & (values >= 0)).all():
            raise InvalidInputError("thetas", "finite numbers that are not negative", values)
        self._set(items=middle.items, center=middle, thetas=frozen_array(values + 0.0))

    def _key(self) -> tuple[Hashable, ...]:
        return self.center, array_key(self.thetas)

    def _parameters(self) -> dict[str, Any]:
        return {"center": list(self.center.order), "thetas": self.thetas.tolist()}

    @property
    def _sizes(self) -> Any:
        return np.arange(self.n_items, 1, -1)

    # -- probabilities ------------------------------------------------------------------------

    @property
    def log_normalizer(self) -> float:
        """The log of the sum of exp(-thetas . v) over all permutations."""
        return float(stage_log_normalizers(self._sizes, self.thetas).sum())

    def _log_probs(self, ranks: Ranks) -> Floats:
        listed = ranks >= 0
        length = listed.sum(axis=1)
        top = np.sort(np.where(listed, ranks, self.n_items), axis=1)
        strict = np.where(np.arange(self.n_items) < length[:, None], top, -1)
        known = np.where(strict >= 0, np.arange(self.n_items), -1)
        if (ranks == -1).any() or (strict != known).any():
            raise InvalidInputError(
                "data", "strict rankings, complete or of the first items",
                Described("a ranking with ties or unranked items"),
                "`Mallows` sums over what completes those.",
            )  # fmt: skip
        # Unlisted items follow in any order, which leaves the stages of the listed ones as they
        # are; those of the others sum to 1.
        filled = np.where(listed, ranks, 0)
        rest = np.argsort(np.argsort(np.where(listed, -1, 0), axis=1, kind="stable"), axis=1)
        complete = np.where(listed, filled, rest).astype(np.int32)
        passed = stages.stages_from_places(complete[:, np.argsort(self.center.ranks)])
        terms = -self.thetas * passed - stage_log_normalizers(self._sizes, self.thetas)
        kept = np.arange(self.n_items - 1) < length[:, None]
        result: Floats = np.where(kept, terms, 0.0).sum(axis=1)
        return result

    # -- samples ------------------------------------------------------------------------------

    def _sample(self, size: int, rng: np.random.Generator) -> Ranks:
        passed = stages.sample_stages(self.thetas, size, rng)
        return np.ascontiguousarray(stages.places_from_stages(passed)[self.center.ranks].T)

    # -- summaries ----------------------------------------------------------------------------

    @property
    def mode(self) -> Permutation:
        """The center; as probable as others where a theta is 0."""
        return self.center

    def pairwise_probabilities(self) -> Floats:
        """Return P(row before column), shape (n, n), in O(n^3)."""
        place = self.center.ranks
        return stages.pair_probabilities(self.thetas)[np.ix_(place, place)]

    def rank_probabilities(self) -> Floats:
        """Return P(item i has rank k + 1) in row i and column k, shape (n, n)."""
        return stages.place_probabilities(self.thetas)[self.center.ranks]

    def entropy(self) -> float:
        """Return the entropy in nats."""
        return float(self.thetas @ stage_means(self._sizes, self.thetas)) + self.log_normalizer

    # -- inference ----------------------------------------------------------------------------

    @classmethod
    def fit(
        cls, profile: Profile, *, max_theta: float = 20.0, time_limit: float | None = None
    ) -> GeneralizedMallowsFit:
        """Estimate center and thetas by maximum likelihood.

        Parameters
        ----------
        profile : Profile
            Complete strict rankings.
        max_theta : float, default 20
            A theta has no finite maximum where all rankings agree at its rank; it is set to this,
            as are larger ones. Notes say so.
        time_limit : float, optional
            Seconds for the search of the center.

        Returns
        -------
        GeneralizedMallowsFit

        Raises
        ------
        InvalidInputError
            If a ranking has ties or gaps.
        OutOfTimeError
            If the center was not found in time.
        """
        from rankagg.distributions.mallows.generalized_fit import fit_generalized_mallows  # noqa: PLC0415

        return fit_generalized_mallows(profile, max_theta=max_theta, time_limit=time_limit)

    def __repr__(self) -> str:
        shown = ", ".join(f"{theta:.3g}" for theta in self.thetas[:6])
        more = ", ..." if len(self.thetas) > 6 else ""
        center = self.center._arrows()
        return f"<GeneralizedMallows distribution: thetas {shown}{more}, center {center}>"
