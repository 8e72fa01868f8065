"""The Bradley-Terry distribution, Plackett-Luce for choices between two, and its fit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from functools import reduce
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
import scipy
from scipy.special import expit

from rankagg._typing import Floats, Label, Tolerance
from rankagg._validation import check_alpha, check_choice, check_flag, check_number
from rankagg.aggregation import Evidence
from rankagg.aggregation.evidence import Held, as_data
from rankagg.core import counted
from rankagg.core.comparisons import Comparisons
from rankagg.distributions.bradley_terry.contests import Terms, Ties
from rankagg.distributions.bradley_terry.fit import CovType, estimates_of
from rankagg.distributions.bradley_terry.judges import fit_judges
from rankagg.distributions.bradley_terry.samples import Sample
from rankagg.distributions.fit_result import WorthsFit, holm
from rankagg.distributions.maximum import Penalties
from rankagg.distributions.plackett_luce.plackett_luce import PlackettLuce
from rankagg.exceptions import InvalidInputError


class BradleyTerry(PlackettLuce):
    """Pairs in proportion to worth: i beats j with exp(l_i)/(exp(l_i) + exp(l_j)).

    As a distribution over longer rankings it is the Plackett-Luce distribution with the same
    worths; what differs is that `fit` takes results of pairs.

    Parameters
    ----------
    log_worths, items, log_ties
        As for `PlackettLuce`; with log_ties = {2: nu} ties are those of Davidson (1970).

    References
    ----------
    Bradley and Terry (1952), https://doi.org/10.2307/2334029; Davidson (1970),
    https://doi.org/10.1080/01621459.1970.10481082.

    Examples
    --------
    >>> from rankagg import BradleyTerry, PairwiseMatrix
    >>> votes = PairwiseMatrix.from_wins([[0, 7, 9], [3, 0, 6], [1, 4, 0]], items="ABC")
    >>> BradleyTerry.fit(votes).distribution.log_worths.round(3)
    array([ 0.944, -0.16 , -0.783])
    """

    @classmethod
    def fit(  # type: ignore[override]
        cls,
        data: Held,
        *,
        ties: Ties = "half",
        side: bool = False,
        covariates: Iterable[str] = (),
        judges: bool = False,
        cov_type: CovType = "auto",
        pseudo_rankings: float = 0.0,
        ridge: float = 0.0,
        tolerance: Tolerance = 0.0,
        tol: float = 1e-9,
    ) -> BradleyTerryFit:
        """Estimate log worths from results of pairs, with errors by what is independent.

        The log odds of the first side are l_i - l_j, the difference of the log worths, plus the
        advantage of the side, plus the covariates times their effects.

        Parameters
        ----------
        data : Comparisons, Profile, ScoreTable, ScoreSummary or PairwiseMatrix
            Comparisons of two, each with its outcome; rankings, each of which compares all pairs
            of its items; scores, which rank the systems on every task; or sums of these.
        ties : {"half", "davidson", "ignore"}, default "half"
            "half" counts a tie as half a win for each, which is a quasi-likelihood: a probability
            of ties is not estimated. "davidson" (1970) gives a tie the weight nu times the
            geometric mean of the two worths. "ignore" leaves ties out.
        side : bool, default False
            True estimates the advantage of the side of comparisons, which multiplies the odds
            (Davidson and Beaver 1977); `comparisons.sides` says who has it. In the tie of
            Davidson's model it is part of the worth: where all have a side, nu of 1977 is
            nu exp(side/2) here.
        covariates : iterable of str, optional
            Names of covariates of the comparisons, which say something in favor of the first side:
            a difference of lengths, for instance.
        judges : bool, default False
            True takes the clusters of comparisons for judges and estimates how reliable each is:
            judge k sees the log odds a_k (l_i - l_j). Reliabilities a_k have the geometric mean 1
            in absolute value; that of a judge who contradicts the others is negative. Errors come
            from the model, with the mean square of reliabilities for known, and a `ridge` draws
            reliabilities to 1; it has no sides, covariates, ghosts or modeled ties.
        cov_type : {"auto", "model", "robust", "cluster"}, default "auto"
            What errors come from. "model" takes comparisons for independent and the model for
            true. "robust" is the sandwich of single comparisons. "cluster" is that of what is
            independent: the clusters of comparisons; rankings, or their clusters; the tasks of
            scores (families of tasks where they are declared, the instances of a single task).
            Its quantiles are Student's t with one degree of freedom less than there are units;
            where weights of comparisons differ, "robust" has such quantiles too. "auto" is
            "cluster" where the data hold units, "model" for votes, for `pseudo_rankings` and
            `ridge`; else "robust" where ties count half or comparisons have weights, else "model".
        pseudo_rankings : float, default 0
            Let every item win and lose so many times against a ghost item. It makes worths finite
            and shrinks them.
        ridge : float, default 0
            Subtract ridge/2 times the sum of the squared log worths: a normal prior with variance
            1/ridge.
        tolerance : float, mapping or Series from task to float, default 0
            For a ScoreTable: which scores are tied; see `ScoreTable.rankings`.
        tol : float, default 1e-9
            No parameter moves by more in a last step.

        Returns
        -------
        BradleyTerryFit
            Where what varies between units is not known, with fewer than 4 of them or where one
            alone compares an item, errors are NaN, and a note says why.

        Raises
        ------
        NotIdentifiedError
            If the likelihood has no finite maximum, or more than one: it says which items, side or
            covariates are the reason.
        InvalidInputError
            If an option does not suit the data, or the `cov_type` that was given has no errors.

        Notes
        -----
        A weight says how important a comparison is; it does not stand for so many comparisons,
        which have a row each, or a count. Sandwich errors are those of the one-step delete-one
        jackknife: the score of each unit is divided by what it leaves to the others, and the sum
        of squares multiplied by (g - 1)/g for g units. With `pseudo_rankings` or a `ridge` the
        prior counts as one more source of variance.

        References
        ----------
        Davidson and Beaver (1977), https://doi.org/10.2307/2529467; Liang and Zeger (1986),
        https://doi.org/10.1093/biomet/73.1.13; MacKinnon, Nielsen and Webb (2023),
        https://doi.org/10.1002/jae.2969.

        Examples
        --------
        >>> import rankagg as ra
        >>> battles = ra.Comparisons.from_arrays("AABBCCAB", "BCCAABBC", [1, 1, 1, -1, 0, 1, -1, 0])
        >>> fit = ra.BradleyTerry.fit(battles, ties="davidson", side=True)
        >>> fit.log_worths.round(3)
        array([ 0.746, -0.354, -0.392])
        """
        data = as_data(data)
        how = check_choice(ties, get_args(Ties), "ties")
        if how == "ignore" and isinstance(data, Comparisons) and not data.outcomes.any():
            remedy = "Ties are no results with ties='ignore'."
            raise InvalidInputError("data", "results of two or more items", data, remedy)
        if check_flag(judges, "judges"):
            plain = not side and not covariates and how != "davidson" and cov_type == "auto"
            if not plain or pseudo_rankings:
                allowed = "False with `side`, `covariates`, `cov_type`, ghosts or Davidson's ties"
                raise InvalidInputError("judges", allowed, True)
            if not isinstance(data, Comparisons) or data.clusters is None:
                allowed = "False unless comparisons have clusters"
                remedy = "State the judge of each comparison as its cluster."
                raise InvalidInputError("judges", allowed, True, remedy)
            alike = cls.fit(data, ties=how, cov_type="model", ridge=ridge or 0.1)
            facts = fit_judges(
                data,
                alike.log_worths,
                drops_ties=how == "ignore",
                ridge=check_number(ridge, "ridge", low=0),
                tol=check_number(tol, "tol", low=0, open_low=True),
            )
            distribution = BradleyTerry(facts["estimates"][: data.n_items], items=data.items)
            return BradleyTerryFit(distribution=distribution, **facts)
        covariates = covariates if isinstance(covariates, str) else tuple(covariates)
        sample = Sample.of(
            data,
            drops_ties=how == "ignore",
            side=check_flag(side, "side"),
            covariates=covariates,
            tolerance=tolerance,
        )
        if len(sample.items) < 2 or not sample.contests.totals.any():
            remedy = "Ties are no results with ties='ignore'." if how == "ignore" else ""
            raise InvalidInputError("data", "results of two or more items", data, remedy)
        facts = estimates_of(
            sample,
            ties=how,
            names=(*["side"] * bool(side), *covariates),
            cov_type=check_choice(cov_type, get_args(CovType), "cov_type"),
            penalties=Penalties(pseudo_rankings=pseudo_rankings, ridge=ridge),
            tol=check_number(tol, "tol", low=0, open_low=True),
        )
        facts["notes"] = (*facts["notes"], *Evidence(data).gaps(by_policy=False))
        items, estimates = sample.items, facts["estimates"]
        has_nu = how == "davidson" and sample.contests.n_ties > 0
        ties_of_two = {2: float(estimates[-1])} if has_nu else {}
        distribution = BradleyTerry(estimates[: len(items)], items=items, log_ties=ties_of_two)
        return BradleyTerryFit(
            distribution=distribution,
            _has_side=bool(side),
            _covariates=tuple(covariates),
            **facts,
        )

    def __repr__(self) -> str:
        ties = ", with ties" if self.log_ties else ""
        items = counted(self.n_items, "item")
        return f"<BradleyTerry distribution on {items}: {self._by_worth()}{ties}>"


class BradleyTerryFit(WorthsFit):
    """Worths estimated from comparisons of two, with their errors.

    Made by `BradleyTerry.fit`. The parameters are the log worths, with sum 0, then the advantage
    of the side and the effects of covariates on the log odds of the first side, then log(nu) of
    Davidson's ties (1970). `plot` draws a `rankagg.plotting.worths_plot`.

    Attributes
    ----------
    distribution : BradleyTerry
        Worths where no side has the advantage and all covariates are 0, with the ties of Davidson's
        model where they were fitted.
    ties : str
        "half", "davidson" or "ignore".
    cov_type : str
        "model", "robust" or "cluster": where `covariance` comes from.
    unit : str or None
        What errors take for independent: "comparison", "cluster", "ranking", "task" or "instance";
        None where they take comparisons for it that are not, as those of rankings are.
    n_units : int
        The number of units of errors by cluster; 0 where they are not.
    judges : tuple of str or int
        Whose reliabilities are the last parameters; empty where there are none.
    """

    distribution: BradleyTerry
    ties: Ties
    cov_type: str
    unit: str | None
    n_units: int
    _has_side: bool
    _degrees_of_freedom: Floats
    _covariates: tuple[str, ...] = field(compare=False)
    judges: tuple[Label, ...] = ()

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
    def worths(self) -> Floats:
        """The worths, shape (n,); their product is 1."""
        worths: Floats = np.exp(self.log_worths)
        return worths

    @property
    def has_side(self) -> bool:
        """Whether the advantage of the side was estimated."""
        return self._has_side

    @property
    def degrees_of_freedom(self) -> Floats:
        """Of the error of each parameter, by how many units compare an item; else infinite.

        Of comparisons whose weights differ, each is a unit. A difference has the smaller ones of
        its items.
        """
        return self._degrees_of_freedom

    @property
    def side(self) -> float:
        """The advantage of the side in log odds; 0 where it is no parameter."""
        return float(self.estimates[self._n]) if self.has_side else 0.0

    @property
    def tie(self) -> float | None:
        """The log of nu; None where no ties are modeled."""
        return float(self.estimates[-1]) if self._has_tie else None

    @property
    def _has_tie(self) -> bool:
        others = self._n + self.has_side + len(self._covariates) + len(self.judges)
        return len(self.estimates) > others

    def effects(self, alpha: float = 0.05) -> pd.DataFrame:
        """Return what is estimated beside worths: the rows of `to_frame` below the items.

        Parameters
        ----------
        alpha : float, default 0.05
            Probability of error of each interval, in (0, 1).

        Returns
        -------
        pandas.DataFrame
            As `to_frame`, with a column factor, exp(estimate): of the odds, or nu itself.
        """
        frame = self.to_frame(alpha).iloc[self._n : len(self.estimates) - len(self.judges)]
        return frame.assign(factor=np.exp(frame["estimate"]))

    def reliabilities(self, alpha: float = 0.05) -> pd.DataFrame:
        """Return how reliable each judge is, where `judges` were fitted.

        Parameters
        ----------
        alpha : float, default 0.05
            Probability of error of each interval, in (0, 1).

        Returns
        -------
        pandas.DataFrame
            As `to_frame`, by judge. 1 is the geometric mean; z and p_value test "says nothing".
        """
        if not self.judges:
            raise InvalidInputError("judges", "True in the fit for reliabilities", False)
        frame = self.to_frame(alpha).iloc[-len(self.judges) :]
        return frame.set_axis(pd.Index(list(self.judges), name="judge"))

    # -- items against each other -------------------------------------------------------------

    def compare(self, first: Label, second: Label, alpha: float = 0.05) -> pd.Series[Any]:
        """Return how much better one item is than another.

        Parameters
        ----------
        first, second : str or int
            Two items.
        alpha : float, default 0.05
            Probability of error of each interval, in (0, 1).

        Returns
        -------
        pandas.Series
            estimate (log worth of the first less that of the second), std_err, z, p_value, lower,
            upper.
        """
        items = self.distribution.items
        at = items.index(first)
        if at == items.index(second):
            raise InvalidInputError("second", "another item than the first", second)
        return self.relative_to(second, alpha).iloc[at].rename(f"{first} less {second}")

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
        frame = self._differences(
            self.log_worths[first] - self.log_worths[second],
            spread,
            self._student_of(first, second),
            alpha,
        )
        frame.insert(0, "first", list(self.distribution.items.at(first)))
        frame.insert(1, "second", list(self.distribution.items.at(second)))
        frame.insert(6, "p_holm", holm(frame["p_value"].to_numpy()))
        return frame

    def elo(
        self,
        *,
        anchor: Label | None = None,
        rating: float = 1500.0,
        points: float = 400.0,
        alpha: float = 0.05,
    ) -> pd.DataFrame:
        """Return worths on the scale of Elo.

        Parameters
        ----------
        anchor : str or int, optional
            The item that has the rating; by default the mean of all items has it.
        rating : float, default 1500
            What that is.
        points : float, default 400
            The difference that means odds of ten to one.
        alpha : float, default 0.05
            Probability of error of each interval, in (0, 1).

        Returns
        -------
        pandas.DataFrame
            elo, std_err, lower, upper; items by rating. The anchor has no error.
        """
        middle = check_number(rating, "rating")
        unit = check_number(points, "points", low=0, open_low=True) / np.log(10.0)
        table = self.to_frame(alpha) if anchor is None else self.relative_to(anchor, alpha)
        frame = table[["estimate", "std_err", "lower", "upper"]].iloc[: self._n].mul(unit)
        frame[["estimate", "lower", "upper"]] += middle
        frame = frame.set_axis(pd.Index(list(self.distribution.items), name="item"))
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
        terms = Terms.of(odds, self.tie)
        probabilities = np.exp(terms.value[:, 0])
        if self.tie is None:
            probabilities[1] = 0.0
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

    # -- how it looks -------------------------------------------------------------------------

    def _content(self, alpha: float = 0.05) -> dict[str, Any]:
        return {
            **super()._content(alpha),
            "ties": self.ties,
            "side": self.has_side,
            "errors": self.cov_type,
            "unit": self.unit,
            "n_units": self.n_units,
        }
