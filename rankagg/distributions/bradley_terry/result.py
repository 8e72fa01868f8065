"""What a Bradley-Terry fit of comparisons returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from functools import reduce
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd
import scipy
from scipy.special import expit

from rankagg._typing import Floats, Label, RNGLike
from rankagg._validation import check_alpha, check_choice, check_number
from rankagg.distributions.bradley_terry.contests import (
    Contests,
    Link,
    OutcomeModel,
    Ties,
    chances,
    terms_of,
)
from rankagg.distributions.bradley_terry.sandwich import Intransitivity, intransitivity_of
from rankagg.distributions.fit_result import holm, with_intervals
from rankagg.distributions.plackett_luce.result import WorthsFit
from rankagg.exceptions import InvalidInputError

if TYPE_CHECKING:
    from rankagg.distributions.bradley_terry.bradley_terry import BradleyTerry
    from rankagg.distributions.thurstone import Thurstone


class BradleyTerryFit(WorthsFit):
    """Worths estimated from comparisons of two, with their errors.

    Made by `BradleyTerry.fit`. The parameters are the log worths, with sum 0, then the advantage
    of the side and the effects of covariates on the log odds of the first side, then the tie
    parameter: log(nu) of Davidson (1970) or log(theta) of Rao and Kupper (1967). `plot` draws a
    `rankagg.plotting.worths_plot`.

    Attributes
    ----------
    distribution : BradleyTerry or Thurstone
        Worths where no side has the advantage and all covariates are 0, with the ties of Davidson's
        model where they were fitted. Ties of Rao and Kupper are not part of it: see `predict`.
    ties : str
        "half", "davidson", "rao-kupper" or "ignore".
    link : str
        "logit"; or "probit", where log worths are locations of normal values, in standard
        deviations of a difference.
    has_side : bool
        Whether the advantage of the side was estimated.
    cov_type : str
        "model", "robust" or "cluster": where `covariance` comes from.
    unit : str or None
        What errors take for independent: "comparison", "cluster", "ranking", "task" or "instance";
        None where they take comparisons for it that are not, as those of rankings are.
    n_clusters : int
        The number of units of errors by cluster; 0 where they are not.
    degrees_of_freedom : ndarray of float, shape (p,)
        Of the errors of each parameter, by how many units compare an item, or comparisons whose
        weights differ; a difference has the smaller ones of its items. Infinite otherwise.
    model_covariance : ndarray of float, shape (p, p)
        From the observed information, for independent comparisons.
    """

    distribution: BradleyTerry | Thurstone
    ties: Ties
    link: Link
    has_side: bool
    cov_type: str
    unit: str | None
    n_clusters: int
    degrees_of_freedom: Floats
    model_covariance: Floats
    _contests: Contests = field(compare=False)
    _units: Floats = field(compare=False)

    @property
    def _student(self) -> Any:
        return self._student_of(slice(None))

    @property
    def _statistic(self) -> str:
        return "t" if np.isfinite(self.degrees_of_freedom).any() else "z"

    def _student_of(self, *which: Any) -> Any:
        degrees = reduce(np.minimum, (self.degrees_of_freedom[each] for each in which))
        return scipy.stats.t(degrees)

    # -- estimates ----------------------------------------------------------------------------

    @property
    def log_worths(self) -> Floats:
        """The log worths, shape (n,); they sum to 0."""
        return self.estimates[: self._n]

    @property
    def worths(self) -> Floats:
        """The worths, shape (n,), for log odds; their product is 1."""
        worths: Floats = np.exp(self.log_worths)
        return worths

    @property
    def side(self) -> float:
        """The advantage of the side in log odds; 0 where it is no parameter."""
        return float(self.estimates[self._n]) if self.has_side else 0.0

    @property
    def tie(self) -> float | None:
        """The log of nu or of theta; None where no ties are modeled."""
        return float(self.estimates[-1]) if self._has_tie else None

    @property
    def _outcomes(self) -> OutcomeModel:
        if self.link == "probit":
            return "probit"
        return "half" if self.ties == "ignore" else self.ties

    @property
    def _has_tie(self) -> bool:
        return len(self.estimates) > self._n + self._contests.n_extras

    @property
    def _covariates(self) -> tuple[str, ...]:
        return self.names[self._n + self.has_side : self._n + self._contests.n_extras]

    def effects(self, alpha: float = 0.05) -> pd.DataFrame:
        """Return what is estimated beside worths: the rows of `to_frame` below the items.

        Parameters
        ----------
        alpha : float, default 0.05
            For the intervals.

        Returns
        -------
        pandas.DataFrame
            As `to_frame`; of log odds with a column factor, exp(estimate): of the odds, or nu or
            theta itself.
        """
        frame = self.to_frame(alpha).iloc[self._n :]
        if self.link == "probit":
            return frame
        return frame.assign(factor=np.exp(frame["estimate"]))

    # -- items against each other -------------------------------------------------------------

    def compare(self, first: Label, second: Label, alpha: float = 0.05) -> pd.Series[Any]:
        """Return how much better one item is than another.

        Parameters
        ----------
        first, second : str or int
            Two items.
        alpha : float, default 0.05
            For the interval.

        Returns
        -------
        pandas.Series
            estimate (log worth of the first less that of the second), std_err, z, p_value, lower,
            upper.
        """
        row = self._contrast(first, second)
        variance = row @ self.covariance @ row
        frame = with_intervals(
            np.array([row @ self.estimates]),
            np.sqrt(np.maximum([variance], 0.0)),
            self._student_of(*np.flatnonzero(row)),
            check_alpha(alpha),
        )
        return frame.iloc[0].rename(f"{first} less {second}")

    def _contrast(self, first: Label, second: Label) -> Floats:
        """Return what the estimates are multiplied with in a difference of log worths."""
        items, row = self.distribution.items, np.zeros(len(self.estimates))
        row[items.index(first)] += 1.0
        row[items.index(second)] -= 1.0
        if not row.any():
            raise InvalidInputError("second", "another item than the first", second)
        return row

    def pairs(self, alpha: float = 0.05) -> pd.DataFrame:
        """Return how much better each item is than each that is worse.

        Parameters
        ----------
        alpha : float, default 0.05
            For the intervals, each for itself.

        Returns
        -------
        pandas.DataFrame
            first, second, estimate, std_err, z, p_value, p_holm (for all pairs together, Holm
            1979), lower, upper; the better item is the first, pairs in the order of worths.
        """
        order = np.argsort(-self.log_worths, kind="stable")
        first, second = (order[ends] for ends in np.triu_indices(self._n, k=1))
        variances = np.diag(self.covariance)
        spread = variances[first] + variances[second] - 2.0 * self.covariance[first, second]
        frame = with_intervals(
            self.log_worths[first] - self.log_worths[second],
            np.sqrt(np.maximum(spread, 0.0)),
            self._student_of(first, second),
            check_alpha(alpha),
        )
        frame.insert(0, "first", list(self.distribution.items.at(first)))
        frame.insert(1, "second", list(self.distribution.items.at(second)))
        frame.insert(6, "p_holm", holm(frame["p_value"].to_numpy()))
        return frame

    def elo(
        self,
        *,
        reference: Label | None = None,
        rating: float = 1500.0,
        points: float = 400.0,
        alpha: float = 0.05,
    ) -> pd.DataFrame:
        """Return worths on the scale of Elo.

        Parameters
        ----------
        reference : str or int, optional
            The item that has the rating; by default the mean of all items has it.
        rating : float, default 1500
            What that is.
        points : float, default 400
            The difference that means odds of ten to one.
        alpha : float, default 0.05
            For the intervals.

        Returns
        -------
        pandas.DataFrame
            elo, std_err, lower, upper; items by rating. The reference has no error.
        """
        if self.link == "probit":
            remedy = "Points are a unit of log odds."
            raise InvalidInputError("link", "'logit' for `elo`", self.link, remedy)
        items, n = self.distribution.items, self._n
        at = None if reference is None else items.index(reference)
        middle = check_number(rating, "rating")
        unit = check_number(points, "points", low=0, open_low=True) / np.log(10.0)
        project = np.eye(n)
        if at is not None:
            project[:, at] -= 1.0
        variances = np.diag(project @ self.covariance[:n, :n] @ project.T)
        errors = unit * np.sqrt(np.maximum(variances, 0.0))
        if at is not None:
            errors[at] = np.nan
        frame = with_intervals(
            middle + unit * (project @ self.log_worths),
            errors,
            self._student_of(slice(n), slice(n) if at is None else [at]),
            check_alpha(alpha),
        )
        frame = frame.set_axis(pd.Index(list(items), name="item")).drop(columns=["z", "p_value"])
        frame = frame.rename(columns={"estimate": "elo"})
        return frame.sort_values("elo", ascending=False, kind="stable")

    # -- contests -----------------------------------------------------------------------------

    def predict(
        self,
        first: Label,
        second: Label,
        *,
        side: Literal[1, 0, -1] = 0,
        covariates: Mapping[str, float] | None = None,
        alpha: float = 0.05,
    ) -> pd.DataFrame:
        """Return the probabilities of the outcomes of a comparison.

        Parameters
        ----------
        first, second : str or int
            Two items.
        side : {1, 0, -1}, default 0
            1 where the first one has the advantage of the side, 0 where none has, -1 where the
            second one has.
        covariates : mapping from name to float, optional
            Those of the comparison; 0 by default.
        alpha : float, default 0.05
            For the intervals of the expected probabilities, by the delta method on the log odds.

        Returns
        -------
        pandas.DataFrame
            Index "first wins", "tie", "second wins". Columns probability, lower, upper. With
            ties="half" there is no probability of a tie, and it is the share of points.
        """
        row = self._contrast(first, second)
        if self.has_side:
            row[self._n] = check_choice(side, (1, 0, -1), "side")
        elif side:
            raise InvalidInputError("side", "0: no advantage was estimated", side)
        for name, value in dict(covariates or {}).items():
            if name not in self._covariates:
                known = ", ".join(map(repr, self._covariates)) or "none"
                raise InvalidInputError("covariates", f"among those of the fit ({known})", name)
            at = self._n + self.has_side + self._covariates.index(name)
            row[at] = check_number(value, f"covariate {name!r}")
        told = (row != 0) | (np.arange(len(row)) >= len(row) - self._has_tie)
        student = self._student_of(*np.flatnonzero(told))
        quantile = float(student.ppf(1.0 - check_alpha(alpha) / 2.0))
        odds = np.array([row @ self.estimates])
        probabilities = chances(self._outcomes, odds, self.tie)[:, 0]
        terms = terms_of(self._outcomes, odds, self.tie)
        # Of a log probability; along the log odds of the contest, and along the tie parameter.
        slopes = terms.slope[:, :1] * row
        if self.tie is not None:
            slopes[:, -1] += terms.tie_slope[:, 0]
        lower, upper = np.zeros(3), np.zeros(3)
        for at in np.flatnonzero(probabilities > 0).tolist():
            rest = float(np.delete(probabilities, at).sum())
            if not rest:
                lower[at] = upper[at] = 1.0
                continue
            # The derivative of the log odds of a probability is that of its log over what is left.
            slope = slopes[at] / rest
            radius = quantile * np.sqrt(max(float(slope @ self.covariance @ slope), 0.0))
            center = np.log(probabilities[at]) - np.log(rest)
            lower[at], upper[at] = expit(center - radius), expit(center + radius)
        columns = {"probability": probabilities, "lower": lower, "upper": upper}
        outcomes = pd.Index(["first wins", "tie", "second wins"], name="outcome")
        return pd.DataFrame(columns, index=outcomes)

    def intransitivity(self, *, n_resamples: int = 999, rng: RNGLike = 0) -> Intransitivity:
        """Test whether results of pairs, and cycles among them, are what worths explain.

        Parameters
        ----------
        n_resamples : int, default 999
            Data sets that are drawn from the fitted model.
        rng : int, numpy.random.Generator or None, default 0
            A seed or a generator.

        Returns
        -------
        Intransitivity

        Raises
        ------
        InvalidInputError
            With weights, which are no counts; and with ties that count half, for which there is
            no model to draw from.
        """
        return intransitivity_of(
            self._contests,
            self._outcomes,
            self.estimates * self._units,
            items=self.distribution.items,
            n_resamples=n_resamples,
            rng=rng,
        )

    # -- how it looks -------------------------------------------------------------------------

    def _content(self, alpha: float = 0.05) -> dict[str, Any]:
        return {
            **super()._content(alpha),
            "ties": self.ties,
            "link": self.link,
            "side": self.has_side,
            "errors": self.cov_type,
            "unit": self.unit,
            "n_clusters": self.n_clusters,
        }
