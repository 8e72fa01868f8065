"""What a Bradley-Terry fit of comparisons returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal

import numpy as np
import pandas as pd
import scipy
from numpy.typing import NDArray
from scipy.special import expit

from rankagg._typing import Floats, Label, RNGLike
from rankagg._validation import check_alpha, check_choice, check_number
from rankagg.core.items import ItemSet
from rankagg.core.results import ROWS
from rankagg.distributions.bradley_terry.contests import Contests, Ties, chances, terms_of
from rankagg.distributions.bradley_terry.sandwich import Intransitivity, intransitivity_of
from rankagg.distributions.fit_result import FitResult
from rankagg.distributions.plackett_luce.bradley_terry import BradleyTerry
from rankagg.distributions.plackett_luce.quasi_variances import QuasiVariances, quasi_variances
from rankagg.exceptions import InvalidInputError

__all__ = ["BradleyTerryFit", "all_differences", "compared", "elo_table", "predicted"]


def compared(estimates: Floats, covariance: Floats, student: Any, alpha: float) -> pd.DataFrame:
    """Return estimates with errors, tests of "it is 0", and intervals."""
    return _rows(estimates, np.sqrt(np.maximum(np.diag(covariance), 0.0)), student, alpha)


def _rows(estimates: Floats, errors: Floats, student: Any, alpha: float) -> pd.DataFrame:
    with np.errstate(divide="ignore", invalid="ignore"):
        z = estimates / errors
    radius = student.ppf(1.0 - alpha / 2.0) * errors
    return pd.DataFrame(
        {
            "estimate": estimates,
            "std_err": errors,
            "z": z,
            "p_value": 2.0 * student.sf(np.abs(z)),
            "lower": estimates - radius,
            "upper": estimates + radius,
        }
    )


def all_differences(
    log_worths: Floats,
    covariance: Floats,
    pairs: tuple[NDArray[np.intp], NDArray[np.intp]],
    items: ItemSet,
    *,
    student: Any,
    alpha: float,
) -> pd.DataFrame:
    """Return the differences of pairs; see `BradleyTerryFit.pairs`."""
    # statsmodels takes longer to load than most fits take.
    from statsmodels.stats.multitest import multipletests  # noqa: PLC0415

    first, second = pairs
    variances = np.diag(covariance)
    spread = variances[first] + variances[second] - 2.0 * covariance[first, second]
    frame = _rows(
        log_worths[first] - log_worths[second], np.sqrt(np.maximum(spread, 0.0)), student, alpha
    )
    frame.insert(0, "first", list(items.at(first)))
    frame.insert(1, "second", list(items.at(second)))
    frame.insert(6, "p_holm", multipletests(frame["p_value"], method="holm")[1])
    return frame


def elo_table(
    log_worths: Floats,
    covariance: Floats,
    items: ItemSet,
    student: Any,
    *,
    at: int | None,
    rating: float,
    points: float,
    alpha: float,
) -> pd.DataFrame:
    """Return ratings with their errors; see `BradleyTerryFit.elo`."""
    unit = points / np.log(10.0)
    project = np.eye(len(log_worths))
    if at is not None:
        project[:, at] -= 1.0
    ratings = rating + unit * (project @ log_worths)
    errors = unit * np.sqrt(np.maximum(np.diag(project @ covariance @ project.T), 0.0))
    if at is not None:
        errors[at] = np.nan
    radius = student.ppf(1.0 - alpha / 2.0) * errors
    columns = {
        "elo": ratings, "std_err": errors, "lower": ratings - radius, "upper": ratings + radius,
    }  # fmt: skip
    frame = pd.DataFrame(columns, index=pd.Index(list(items), name="item"))
    return frame.sort_values("elo", ascending=False, kind="stable")


OUTCOMES = ("first wins", "tie", "second wins")


def predicted(
    ties: Ties,
    row: Floats,
    estimates: Floats,
    covariance: Floats,
    student: Any,
    *,
    tie: float | None,
    alpha: float,
) -> pd.DataFrame:
    """Return the probabilities of a comparison; see `BradleyTerryFit.predict`."""
    odds = np.array([row @ estimates])
    probabilities = chances(ties, odds, tie)[:, 0]
    terms = terms_of(ties, odds, tie)
    # Of a log probability; along the log odds of the contest, and along the tie parameter.
    slopes = terms.slope[:, :1] * row
    if tie is not None:
        slopes[:, -1] += terms.tie_slope[:, 0]
    lower, upper = np.zeros(3), np.zeros(3)
    quantile = float(np.ravel(student.ppf(1.0 - alpha / 2.0))[0])
    for at in np.flatnonzero(probabilities > 0):
        rest = float(np.delete(probabilities, at).sum())
        if not rest:
            lower[at] = upper[at] = 1.0
            continue
        # The derivative of the log odds of a probability is that of its log over what is left.
        slope = slopes[at] / rest
        error = np.sqrt(max(float(slope @ covariance @ slope), 0.0))
        radius = quantile * error
        center = np.log(probabilities[at]) - np.log(rest)
        lower[at], upper[at] = expit(center - radius), expit(center + radius)
    columns = {"probability": probabilities, "lower": lower, "upper": upper}
    return pd.DataFrame(columns, index=pd.Index(OUTCOMES, name="outcome"))


class BradleyTerryFit(FitResult):
    """Worths estimated from comparisons of two, with their errors.

    Made by `fit_bradley_terry`. The parameters are the log worths, with sum 0, then the advantage
    of the side and the effects of covariates on the log odds of the first side, then the tie
    parameter: log(nu) of Davidson (1970) or log(theta) of Rao and Kupper (1967). `plot` draws a
    `rankagg.plotting.worths_plot`.

    Attributes
    ----------
    distribution : BradleyTerry
        Worths where no side has the advantage and all covariates are 0, with the ties of Davidson's
        model where they were fitted. Ties of Rao and Kupper are not part of it: see `predict`.
    ties : str
        "half", "davidson" or "rao-kupper".
    has_side : bool
        Whether the advantage of the side was estimated.
    errors : str
        "model", "robust" or "cluster": where `covariance` comes from.
    n_clusters : int
        That errors are by; 0 where they are not.
    degrees_of_freedom : ndarray of float, shape (p,)
        Of the errors of each parameter, by how many clusters tell of it; a difference has the
        smaller ones of its items. Infinite where errors are not by cluster.
    model_covariance : ndarray of float, shape (p, p)
        From the observed information, for independent comparisons.
    """

    distribution: BradleyTerry
    ties: Ties
    has_side: bool
    errors: str
    n_clusters: int
    degrees_of_freedom: Floats
    model_covariance: Floats
    _contests: Contests = field(compare=False)
    _units: Floats = field(compare=False)

    _plot = "worths_plot"

    @property
    def _n(self) -> int:
        return self.distribution.n_items

    @property
    def _student(self) -> Any:
        return self._student_of(self.degrees_of_freedom)

    def _student_of(self, degrees: Floats) -> Any:
        return scipy.stats.t(degrees) if self.n_clusters else scipy.stats.norm

    # -- estimates ----------------------------------------------------------------------------

    @property
    def log_worths(self) -> Floats:
        """The log worths, shape (n,); they sum to 0."""
        return self.estimates[: self._n]

    @property
    def worths(self) -> Floats:
        """The worths, shape (n,); their product is 1."""
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
            As `to_frame`, with a column factor, exp(estimate): of the odds, or nu or theta itself.
        """
        frame = self.to_frame(alpha).iloc[self._n :]
        return frame.assign(factor=np.exp(frame["estimate"]))

    # -- items against each other -------------------------------------------------------------

    def relative_to(self, reference: Label, alpha: float = 0.05) -> pd.DataFrame:
        """Return log worths less that of a reference item, with their standard errors.

        Parameters
        ----------
        reference : str or int
            An item.
        alpha : float, default 0.05
            For the intervals.

        Returns
        -------
        pandas.DataFrame
            estimate, std_err, z, p_value of "as good as the reference", lower, upper.
        """
        at = self.distribution.items.index(reference)
        project = np.eye(len(self.estimates))
        project[: self._n, at] -= 1.0
        degrees = self.degrees_of_freedom.copy()
        degrees[: self._n] = np.minimum(degrees[: self._n], degrees[at])
        frame = compared(
            project @ self.estimates, project @ self.covariance @ project.T,
            self._student_of(degrees), check_alpha(alpha),
        )  # fmt: skip
        frame.iloc[at, 1:] = np.nan
        return frame.set_axis(pd.Index(self.names, name="parameter"))

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
        items = self.distribution.items
        row = np.zeros((1, len(self.estimates)))
        row[0, items.index(first)] += 1.0
        row[0, items.index(second)] -= 1.0
        if not row.any():
            raise InvalidInputError("second", "another item than the first", second)
        degrees = self.degrees_of_freedom[row[0] != 0].min(keepdims=True)
        frame = compared(
            row @ self.estimates, row @ self.covariance @ row.T, self._student_of(degrees),
            check_alpha(alpha),
        )  # fmt: skip
        return frame.iloc[0].rename(f"{first} less {second}")

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
        degrees = self.degrees_of_freedom
        return all_differences(
            self.log_worths, self.covariance, (first, second), self.distribution.items,
            student=self._student_of(np.minimum(degrees[first], degrees[second])),
            alpha=check_alpha(alpha),
        )  # fmt: skip

    def quasi_variances(self) -> QuasiVariances:
        """Return one variance per item from which all errors of differences follow, nearly.

        Returns
        -------
        QuasiVariances
            With the worst relative error of a standard error (Firth and de Menezes 2004).
        """
        return quasi_variances(self.covariance[: self._n, : self._n])

    def comparison_intervals(self, alpha: float = 0.05) -> pd.DataFrame:
        """Return intervals from quasi standard errors: where two overlap little, they differ.

        Parameters
        ----------
        alpha : float, default 0.05
            Probability of error of an interval taken for itself, in (0, 1).

        Returns
        -------
        pandas.DataFrame
            estimate, quasi_se, lower, upper; items by estimate.
        """
        student = self._student_of(self.degrees_of_freedom[: self._n])
        radius = student.ppf(1.0 - check_alpha(alpha) / 2.0)
        errors = self.quasi_variances().standard_errors
        columns = {
            "estimate": self.log_worths, "quasi_se": errors,
            "lower": self.log_worths - radius * errors, "upper": self.log_worths + radius * errors,
        }  # fmt: skip
        index = pd.Index(list(self.distribution.items), name="item")
        frame = pd.DataFrame(columns, index=index)
        return frame.sort_values("estimate", ascending=False, kind="stable")

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
        at = None if reference is None else self.distribution.items.index(reference)
        degrees = self.degrees_of_freedom[: self._n]
        return elo_table(
            self.log_worths, self.covariance[: self._n, : self._n], self.distribution.items,
            self._student_of(degrees if at is None else np.minimum(degrees, degrees[at])), at=at,
            rating=check_number(rating, "rating"),
            points=check_number(points, "points", low=0, open_low=True), alpha=check_alpha(alpha),
        )  # fmt: skip

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
        items = self.distribution.items
        given = dict(covariates or {})
        row = np.zeros(len(self.estimates))
        row[items.index(first)] += 1.0
        row[items.index(second)] -= 1.0
        if not row.any():
            raise InvalidInputError("second", "another item than the first", second)
        if self.has_side:
            row[self._n] = check_choice(side, (1, 0, -1), "side")
        elif side:
            raise InvalidInputError("side", "0: no advantage was estimated", side)
        for name, value in given.items():
            if name not in self._covariates:
                known = ", ".join(map(repr, self._covariates)) or "none"
                raise InvalidInputError("covariates", f"among those of the fit ({known})", name)
            at = self._n + self.has_side + self._covariates.index(name)
            row[at] = check_number(value, f"covariate {name!r}")
        told = (row != 0) | (np.arange(len(row)) >= len(row) - self._has_tie)
        return predicted(
            self.ties, row, self.estimates, self.covariance,
            self._student_of(self.degrees_of_freedom[told].min(keepdims=True)),
            tie=self.tie, alpha=check_alpha(alpha),
        )  # fmt: skip

    def intransitivity(self, *, n_resamples: int = 999, rng: RNGLike = 0) -> Intransitivity:
        """Test whether results of pairs, and cycles among them, are what worths explain.

        Parameters
        ----------
        n_resamples : int, default 999
            Data sets that are drawn from the fitted model.
        rng : int, numpy.random.Generator or None, default 0
            A seed or a generator (SPEC 7).

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
            self.ties,
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
            "side": self.has_side,
            "errors": self.errors,
            "n_clusters": self.n_clusters,
        }

    def summary(
        self, *, alpha: float = 0.05, rows: int | None = ROWS, reference: Label | None = None
    ) -> str:
        """Return the fit as text, as statsmodels shows one.

        Parameters
        ----------
        alpha : float, default 0.05
            For the intervals.
        rows : int or None, default 30
            How many parameters to print at most; None prints all.
        reference : str or int, optional
            Show log worths less that of this item; by default they sum to 0.

        Returns
        -------
        str
        """
        if reference is None:
            return super().summary(alpha=alpha, rows=rows)
        table = self.relative_to(reference, check_alpha(alpha))
        columns = self._coefficients(alpha).columns
        notes = (f"Log worths less that of {reference}.", *self.notes[1:])
        return self._as_statsmodels(table.rename_axis(None).set_axis(columns, axis=1), notes, rows)
