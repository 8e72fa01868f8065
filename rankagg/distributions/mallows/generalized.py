"""The generalized Mallows distribution, with a theta for each rank, and its fit."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from rankagg._typing import Floats, Generator, Label, Ranks
from rankagg._validation import as_numbers, check_choice, check_number
from rankagg.aggregation import Deadline, time_limit_of
from rankagg.aggregation.evidence import Held, as_data
from rankagg.core import (
    UNRANKED,
    Permutation,
    Profile,
    array_key,
    counted,
    frozen_array,
    permutation_of,
)
from rankagg.distributions.base import RankingDistribution
from rankagg.distributions.fit_result import FitResult
from rankagg.distributions.mallows.center import MallowsData
from rankagg.distributions.mallows.kendall_distances import (
    as_center,
    pair_probabilities,
    place_probabilities,
)
from rankagg.distributions.mallows.stages import (
    MOST_CENTERS_TRIED,
    STAGES,
    KendallStages,
    StagedName,
    StagedSearch,
)
from rankagg.distributions.mallows.theta_interval import likelihood_interval
from rankagg.exceptions import Described, InvalidInputError, OutOfTimeError


class GeneralizedMallows(RankingDistribution):
    """Permutations whose ranks are filled one after another, each with its own care.

    For rank k + 1 there are n - k items left, k from 0. The chance that the item that is chosen
    passes over v of those that stand before it in the center is proportional to
    exp(-thetas[k] v). With all thetas alike this is `Mallows`. Under Cayley's distance v is 1 where
    an exchange with a later rank is counted for the rank, as it is for all ranks of a cycle but
    the last, and 0 elsewhere. The probability of a ranking whose tail is unlisted is that of its
    compatible permutations together, under Kendall's distance; other partial rankings and tied
    ones have none here.

    Parameters
    ----------
    center : Permutation or iterable of str or int
        The center; labels, best first.
    thetas : array_like of float, shape (n - 1,)
        Dispersion parameters, not negative and finite, from the first rank to the last but one;
        of each, phi = exp(-theta).
    distance : {"kendall", "cayley"}, default "kendall"
        Whose stages have thetas of their own.

    Attributes
    ----------
    center : Permutation
        The center.
    thetas : ndarray of float, shape (n - 1,)
        The dispersion parameters.
    distance : str
        The distance.

    References
    ----------
    Fligner and Verducci (1986), "Distance based ranking models",
    https://doi.org/10.1111/j.2517-6161.1986.tb01420.x; Irurozki, Calvo and Lozano (2018),
    "Sampling and learning Mallows and generalized Mallows models under the Cayley distance",
    https://doi.org/10.1007/s11009-016-9506-7.

    Examples
    --------
    >>> from rankagg import Permutation
    >>> from rankagg.distributions import GeneralizedMallows
    >>> mallows = GeneralizedMallows("ABC", thetas=[2.0, 0.0])  # sure of the winner only
    >>> mallows.rank_probabilities().round(3)
    array([[0.867, 0.067, 0.067],
           [0.117, 0.441, 0.441],
           [0.016, 0.492, 0.492]])
    """

    center: Permutation
    thetas: Floats
    distance: StagedName

    def __init__(
        self,
        center: Permutation | Iterable[Label],
        thetas: ArrayLike,
        distance: StagedName = "kendall",
    ) -> None:
        middle, kind = as_center(center), check_choice(distance, tuple(STAGES), "distance")
        values = as_numbers(thetas, "thetas")
        if len(values) != middle.n_items - 1:
            allowed = f"one number per rank but the last ({middle.n_items - 1} of them)"
            raise InvalidInputError("thetas", allowed, Described(counted(len(values), "number")))
        if not (np.isfinite(values) & (values >= 0)).all():
            raise InvalidInputError("thetas", "finite numbers that are not negative", values)
        own = frozen_array(values + 0.0)
        self._set(items=middle.items, center=middle, thetas=own, distance=kind)

    def _key(self) -> tuple[Hashable, ...]:
        return self.center, array_key(self.thetas), self.distance

    def _parameters(self) -> dict[str, Any]:
        kind = {} if self.distance == "kendall" else {"distance": self.distance}
        return {"center": list(self.center.order), "thetas": self.thetas.tolist(), **kind}

    @property
    def _stages(self) -> KendallStages:
        return STAGES[self.distance]

    @property
    def _sizes(self) -> Any:
        return np.arange(self.n_items, 1, -1)

    # -- probabilities ------------------------------------------------------------------------

    @property
    def log_normalizer(self) -> float:
        """The log of the sum of exp(-thetas . v) over all permutations."""
        return float(self._stages.log_normalizers(self._sizes, self.thetas).sum())

    def _log_probs(self, ranks: Ranks) -> Floats:
        listed = ranks >= 0
        length = listed.sum(axis=1)
        top = np.sort(np.where(listed, ranks, self.n_items), axis=1)
        strict = np.where(np.arange(self.n_items) < length[:, None], top, -1)
        known = np.where(strict >= 0, np.arange(self.n_items), -1)
        partial = self.distance != "kendall" and not listed.all()
        if partial or (ranks == UNRANKED).any() or (strict != known).any():
            allowed = "strict rankings, complete or of the first items"
            told = Described("a ranking with ties or unranked items")
            remedy = "`Mallows` sums over what completes those."
            raise InvalidInputError("data", allowed, told, remedy)
        # Unlisted items follow in any order, which leaves the stages of the listed ones as they
        # are; those of the others sum to 1.
        filled = np.where(listed, ranks, 0)
        rest = np.argsort(np.argsort(np.where(listed, -1, 0), axis=1, kind="stable"), axis=1)
        complete = np.where(listed, filled, rest).astype(np.int32)
        passed = self._stages.of(complete[:, np.argsort(self.center.ranks)])
        terms = -self.thetas * passed - self._stages.log_normalizers(self._sizes, self.thetas)
        kept = np.arange(self.n_items - 1) < length[:, None]
        result: Floats = np.where(kept, terms, 0.0).sum(axis=1)
        return result

    # -- samples ------------------------------------------------------------------------------

    def _sample(self, size: int, rng: Generator) -> Ranks:
        drawn = self._stages.sample(self.thetas, size, rng)
        return np.ascontiguousarray(drawn[:, self.center.ranks])

    # -- summaries ----------------------------------------------------------------------------

    @property
    def mode(self) -> Permutation:
        """The center; as probable as others where a theta is 0."""
        return self.center

    def pairwise_probabilities(self) -> Floats:
        """Return P(row before column), shape (n, n), in O(n^3); "cayley" of up to 8 items."""
        if self.distance != "kendall":
            return super().pairwise_probabilities()
        place = self.center.ranks
        return pair_probabilities(self.thetas)[np.ix_(place, place)]

    def rank_probabilities(self) -> Floats:
        """Return P(item i has rank k + 1) in row i and column k; "cayley" of up to 8 items."""
        if self.distance != "kendall":
            return super().rank_probabilities()
        return place_probabilities(self.thetas)[self.center.ranks]

    def entropy(self) -> float:
        """Return the entropy in nats."""
        means = self._stages.means(self._sizes, self.thetas)
        return float(self.thetas @ means) + self.log_normalizer

    # -- inference ----------------------------------------------------------------------------

    @classmethod
    def fit(
        cls,
        data: Held,
        *,
        distance: StagedName = "kendall",
        max_theta: float = 20.0,
        time_limit: float | None = None,
    ) -> GeneralizedMallowsFit:
        """Estimate center and thetas by maximum likelihood.

        Parameters
        ----------
        data : Profile
            Complete strict rankings.
        distance : {"kendall", "cayley"}, default "kendall"
            As for `GeneralizedMallows`.
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
        profile = as_data(data)
        stages = STAGES[check_choice(distance, tuple(STAGES), "distance")]
        if not isinstance(profile, Profile):
            raise InvalidInputError("data", "a Profile", data)
        if not (profile.is_complete and profile.is_strict) or profile.n_items < 2:
            allowed = "complete strict rankings of two or more items"
            remedy = "`Mallows.fit` takes partial and tied ones."
            raise InvalidInputError("data", allowed, profile, remedy)
        bound = check_number(max_theta, "max_theta", low=0, open_low=True)
        rankings = MallowsData.of(profile, Deadline.after(time_limit_of(time_limit)))
        search = StagedSearch(rankings, stages, bound)
        try:
            best = search.best()
        except OutOfTimeError:
            raise OutOfTimeError(
                "The center of GeneralizedMallows was not found in time: "
                f"{search.n_tried} were tried."
            ) from None
        center = permutation_of(np.argsort(best.order), profile.items)
        sizes = np.arange(profile.n_items, 1, -1)
        information = rankings.total * stages.variances(sizes, best.thetas)
        inside = best.thetas < bound
        variances = np.full(len(sizes), np.nan)
        variances[inside] = 1.0 / information[inside]
        notes = [
            f"Center: {center.to_text()}",
            "Standard errors and intervals are conditional on the center, which these rankings "
            "chose: with few rankings thetas are too high and intervals too narrow.",
            "All centers were tried."
            if profile.n_items <= MOST_CENTERS_TRIED
            else "The center is a local maximum.",
        ]
        agreed = best.means == 0.0
        for which, told in (
            (agreed, "No finite maximum at rank {where}: set to the bound {bound:g}."),
            (
                (best.thetas >= bound) & ~agreed,
                "The maximum is beyond the bound {bound:g} at rank {where}: raise `max_theta`.",
            ),
        ):
            if which.any():
                where = ", ".join(str(k + 1) for k in np.flatnonzero(which))
                notes.append(told.format(where=where, bound=bound))
        return GeneralizedMallowsFit(
            distribution=cls(center, best.thetas, stages.name),
            names=tuple(f"theta {k + 1}" for k in range(profile.n_items - 1)),
            estimates=best.thetas,
            covariance=np.diag(variances),
            log_likelihood=best.log_likelihood,
            n_parameters=profile.n_items - 1,
            n_observations=rankings.total,
            converged=True,
            n_iterations=search.n_tried,
            notes=tuple(notes),
            _means=best.means,
        )

    def __repr__(self) -> str:
        shown = ", ".join(f"{theta:.3g}" for theta in self.thetas[:6])
        more = ", ..." if len(self.thetas) > 6 else ""
        center = self.center.to_text()
        return f"<GeneralizedMallows distribution: thetas {shown}{more}, center {center}>"


class GeneralizedMallowsFit(FitResult):
    """A fitted generalized Mallows distribution.

    Made by `GeneralizedMallows.fit`; one theta per rank but the last. Standard errors and
    intervals, which are by likelihood ratio, are conditional on the center, which the rankings
    chose: with few rankings the thetas are too high and their intervals too narrow. An upper bound
    is infinite where all rankings agree at a rank. `plot` draws them, as of all fits, by
    `rankagg.plotting.parameters_plot`.
    """

    distribution: GeneralizedMallows
    # Of each rank, of the items passed over.
    _means: Floats = field(compare=False)

    @property
    def thetas(self) -> Floats:
        """The fitted dispersion parameter of each rank but the last."""
        return self.distribution.thetas

    @property
    def center(self) -> Permutation:
        """The fitted center."""
        return self.distribution.center

    def _bounds(self, alpha: float) -> pd.DataFrame:
        stages = self.distribution._stages
        rows = list[tuple[float, float]]()
        for size, mean, theta, error in zip(
            self.distribution._sizes, self._means, self.estimates, self.standard_errors, strict=True
        ):

            def height(at: float, size: int = size, mean: float = mean) -> float:
                log_normalizer = float(stages.log_normalizers(size, at))
                return -self.n_observations * (at * mean + log_normalizer)

            rows.append(likelihood_interval(height, theta, error, alpha))
        return pd.DataFrame(rows, pd.Index(self.names, name="parameter"), ["lower", "upper"])

    @property
    def _tests_zero(self) -> bool:
        # A center that is chosen to fit makes rankings look concentrated around it.
        return False
