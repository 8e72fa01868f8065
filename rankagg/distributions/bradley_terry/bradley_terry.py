"""The Bradley-Terry distribution, Plackett-Luce for choices between two, and its fit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from scipy.special import expit

from rankagg._typing import Floats, Label, Tolerance
from rankagg._validation import check_alpha, check_choice, check_flag, check_number
from rankagg.aggregation import Evidence, Held, as_data
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
    """Bradley-Terry model: i beats j with probability exp(l_i)/(exp(l_i) + exp(l_j)).

    Over longer rankings it is the Plackett-Luce distribution with the same worths; `fit` takes
    results of pairs.

    Parameters
    ----------
    log_worths, items, log_ties
        As for `PlackettLuce`; log_ties = {2: nu} gives the ties of Davidson (1970).

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
        """Estimate log worths from results of pairs, with errors by independent units.

        The log odds of the first side are l_i - l_j, the difference of the log worths, plus the
        advantage of the side, plus the covariates times their effects.

        Parameters
        ----------
        data : Comparisons, Profile, ScoreTable, ScoreSummary or PairwiseMatrix
            Results of pairs; rankings, which compare all pairs of their items; scores, which rank
            the systems on every task; or sums of these.
        ties : {"half", "davidson", "ignore"}, default "half"
            "half" counts a tie as half a win for each, a quasi-likelihood without a probability of
            ties. "davidson" (1970) gives a tie the weight nu times the geometric mean of the two
            worths. "ignore" leaves ties out.
        side : bool, default False
            Estimate the advantage of the side, which multiplies the odds (Davidson and Beaver
            1977); `comparisons.sides` says who has it. It is part of the worth in Davidson's
            ties: if every comparison has a side, nu of 1977 is nu exp(side/2) here.
        covariates : iterable of str, optional
            Names of covariates of the comparisons; positive values favor the first side, such as
            a difference of lengths.
        judges : bool, default False
            Take the clusters of comparisons as judges and estimate the reliability of each: judge
            k has the log odds a_k (l_i - l_j). The mean of a_k**2 is 1; a judge who contradicts
            the others has a negative one. Errors are by the model, and a `ridge` shrinks
            reliabilities to 1. It does not combine with a side, covariates, pseudo-rankings or
            Davidson's ties.
        cov_type : {"auto", "model", "robust", "cluster"}, default "auto"
            Source of the errors. "model" assumes independent comparisons and a true model.
            "robust" is the sandwich of single comparisons. "cluster" is the sandwich of units:
            clusters of comparisons; rankings, or their clusters; tasks of scores (declared
            families of tasks, or the instances of a single task). Its quantiles are Student's t
            with degrees of freedom by how many units compare an item, and how evenly; "robust"
            has such quantiles if weights differ. "auto" is "cluster" if the data hold units, else
            "model" for votes, `pseudo_rankings` and `ridge`, else "robust" if ties count half or
            comparisons have weights, else "model".
        pseudo_rankings : float, default 0
            Wins and losses of every item against a ghost item, which make worths finite and
            shrink them.
        ridge : float, default 0
            Subtract ridge/2 times the sum of the squared log worths: a normal prior with variance
            1/ridge.
        tolerance : float, mapping or Series from task to float, default 0
            Tolerance of ties in a ScoreTable; see `ScoreTable.rankings`.
        tol : float, default 1e-9
            Largest change of a parameter in the last step.

        Returns
        -------
        BradleyTerryFit
            Errors are NaN, with a note, for fewer than 4 units or if one unit alone compares an
            item.

        Raises
        ------
        NotIdentifiedError
            If the likelihood has no finite maximum, or more than one; the message names the
            items, side or covariates.
        InvalidInputError
            If an option does not suit the data, or the given `cov_type` has no errors.

        Notes
        -----
        A weight is the importance of one comparison, not a number of comparisons. Sandwich errors
        are those of the one-step delete-one jackknife: the score of each unit is divided by the
        information left to the others, and the sum of squares multiplied by (g - 1)/g for g
        units. With `pseudo_rankings` or a `ridge` the prior is one more source of variance.

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
        tol = check_number(tol, "tol", low=0, open_low=True)
        drops_ties = how == "ignore"
        remedy = "Ties are no results with ties='ignore'." if drops_ties else ""
        if drops_ties and isinstance(data, Comparisons) and not data.outcomes.any():
            raise InvalidInputError("data", "results of two or more items", data, remedy)
        covariates = covariates if isinstance(covariates, str) else tuple(covariates)
        if check_flag(judges, "judges"):
            if side or covariates or pseudo_rankings or how == "davidson" or cov_type != "auto":
                allowed = (
                    "False with `side`, `covariates`, `pseudo_rankings`, `cov_type` or "
                    "ties='davidson'"
                )
                raise InvalidInputError("judges", allowed, True)
            if not isinstance(data, Comparisons) or data.clusters is None:
                allowed = "False unless comparisons have clusters"
                raise InvalidInputError(
                    "judges", allowed, True, "State the judge of each comparison by `cluster`."
                )
            alike = cls.fit(data, ties=how, cov_type="model", ridge=ridge or 0.1)
            facts = fit_judges(data, alike.log_worths, drops_ties=drops_ties, ridge=ridge, tol=tol)
            distribution = BradleyTerry(facts["estimates"][: data.n_items], items=data.items)
            return BradleyTerryFit(distribution=distribution, **facts)
        sample = Sample.of(
            data,
            drops_ties=drops_ties,
            side=check_flag(side, "side"),
            covariates=covariates,
            tolerance=tolerance,
        )
        if len(sample.items) < 2 or not sample.contests.totals.any():
            raise InvalidInputError("data", "results of two or more items", data, remedy)
        facts = estimates_of(
            sample,
            ties=how,
            names=(*["side"] * bool(side), *covariates),
            cov_type=check_choice(cov_type, get_args(CovType), "cov_type"),
            penalties=Penalties(pseudo_rankings=pseudo_rankings, ridge=ridge),
            tol=tol,
        )
        facts["notes"] = (*facts["notes"], *Evidence(data).gaps(by_policy=False))
        items, estimates = sample.items, facts["estimates"]
        has_nu = how == "davidson" and sample.contests.n_ties > 0
        ties_of_two = {2: float(estimates[-1])} if has_nu else {}
        distribution = BradleyTerry(estimates[: len(items)], items=items, log_ties=ties_of_two)
        return BradleyTerryFit(
            distribution=distribution,
            _covariates=tuple(covariates),
            **facts,
        )

    def __repr__(self) -> str:
        ties = ", with ties" if self.log_ties else ""
        items = counted(self.n_items, "item")
        return f"<BradleyTerry distribution on {items}: {self._by_worth()}{ties}>"


class BradleyTerryFit(WorthsFit):
    """Worths estimated from results of pairs, with their errors.

    Made by `BradleyTerry.fit`. The parameters are the log worths, with sum 0, then the advantage
    of the side and the effects of covariates on the log odds of the first side, then log(nu) of
    Davidson's ties (1970) or the reliabilities of judges. `plot` draws a
    `rankagg.plotting.worths_plot`.

    Attributes
    ----------
    distribution : BradleyTerry
        Model without a side and with covariates 0, with Davidson's ties if they were fitted.
    ties : str
        "half", "davidson" or "ignore".
    cov_type : str
        "model", "robust" or "cluster": the source of `covariance`.
    unit : str or None
        Independent unit of the errors: "comparison", "cluster", "ranking", "task" or "instance";
        None if dependent comparisons, such as those of rankings, are taken as independent.
    n_units : int
        Number of units of errors by cluster; 0 for other errors.
    judges : tuple of str or int
        Judges whose reliabilities are the last parameters; may be empty.
    """

    distribution: BradleyTerry
    ties: Ties
    cov_type: str
    _covariates: tuple[str, ...] = field(compare=False)
    judges: tuple[Label, ...] = ()

    # -- estimates ----------------------------------------------------------------------------

    @property
    def worths(self) -> Floats:
        """Worths, shape (n,), with product 1."""
        return np.exp(self.log_worths)

    @property
    def has_side(self) -> bool:
        """Whether the advantage of the side was estimated."""
        return self.names[self._n :][:1] == ("side",)

    @property
    def side(self) -> float:
        """Advantage of the side in log odds; 0 if it was not estimated."""
        return float(self.estimates[self._n]) if self.has_side else 0.0

    @property
    def tie(self) -> float | None:
        """Log of nu; None without a model of ties."""
        return float(self.estimates[-1]) if self._has_tie else None

    @property
    def _has_tie(self) -> bool:
        others = self._n + self.has_side + len(self._covariates) + len(self.judges)
        return len(self.estimates) > others

    def effects(self, alpha: float = 0.05) -> pd.DataFrame:
        """Return the effects of side, covariates and ties: the rows of `to_frame` below the items.

        Parameters
        ----------
        alpha : float, default 0.05
            Probability of error of each interval, in (0, 1).

        Returns
        -------
        pandas.DataFrame
            As `to_frame`, with a column factor: exp(estimate), the odds ratio, or nu.
        """
        frame = self.to_frame(alpha).iloc[self._n : len(self.estimates) - len(self.judges)]
        return frame.assign(factor=np.exp(frame["estimate"]))

    def reliabilities(self, alpha: float = 0.05) -> pd.DataFrame:
        """Return the reliability of each judge of a fit with `judges`.

        Parameters
        ----------
        alpha : float, default 0.05
            Probability of error of each interval, in (0, 1).

        Returns
        -------
        pandas.DataFrame
            As `to_frame`, by judge. The mean square is 1; z and p_value test reliability 0.
        """
        if not self.judges:
            raise InvalidInputError("judges", "True in the fit for reliabilities", False)
        frame = self.to_frame(alpha).iloc[-len(self.judges) :]
        return frame.set_axis(pd.Index(list(self.judges), name="judge"))

    # -- differences of items -----------------------------------------------------------------

    def compare(self, first: Label, second: Label, alpha: float = 0.05) -> pd.Series[Any]:
        """Return the difference of two log worths.

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
        at = int(np.argmax(self._contrast(first, second)))
        return self.relative_to(second, alpha).iloc[at].rename(f"{first} less {second}")

    def _contrast(self, first: Label, second: Label) -> Floats:
        """Return the coefficients of the estimates in a difference of log worths."""
        items, row = self.distribution.items, np.zeros(len(self.estimates))
        row[items.index(first)] += 1.0
        row[items.index(second)] -= 1.0
        if not row.any():
            raise InvalidInputError("second", "another item than the first", second)
        return row

    def pairs(self, alpha: float = 0.05) -> pd.DataFrame:
        """Return the differences of all pairs of log worths.

        Parameters
        ----------
        alpha : float, default 0.05
            Probability of error of each interval, in (0, 1).

        Returns
        -------
        pandas.DataFrame
            first (the better item), second, estimate, std_err, z, p_value, p_holm (adjusted for
            all pairs, Holm 1979), lower, upper; pairs by worths.
        """
        order = np.argsort(-self.log_worths, kind="stable")
        first, second = (order[ends] for ends in np.triu_indices(self._n, k=1))
        variances = np.diag(self.covariance)
        frame = self._differences(
            self.log_worths[first] - self.log_worths[second],
            variances[first] + variances[second] - 2.0 * self.covariance[first, second],
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
        anchor: Mapping[Label, float] | None = None,
        alpha: float = 0.05,
    ) -> pd.DataFrame:
        """Return worths on the scale of Elo: a difference of 400 means odds of ten to one.

        Parameters
        ----------
        anchor : mapping from one item to float, optional
            An item and its rating, such as {"A": 1000}; by default the mean rating is 1500.
        alpha : float, default 0.05
            Probability of error of each interval, in (0, 1).

        Returns
        -------
        pandas.DataFrame
            elo, std_err, lower, upper; items by rating. The anchor has no error.
        """
        if anchor is not None and (not isinstance(anchor, Mapping) or len(anchor) > 1):
            allowed = "a mapping from one item to its rating, such as {'A': 1000}"
            raise InvalidInputError("anchor", allowed, anchor)
        item, rating = next(iter(anchor.items())) if anchor else (None, 1.5e3)
        middle, unit = check_number(rating, "anchor"), 400.0 / np.log(10.0)
        table = self.to_frame(alpha) if item is None else self.relative_to(item, alpha)
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
            1 if the first item has the advantage of the side, -1 if the second has it, else 0.
        covariates : mapping from name to float, optional
            Covariates of the comparison; 0 by default.
        alpha : float, default 0.05
            Probability of error of each interval, in (0, 1); by the delta method on the log odds.

        Returns
        -------
        pandas.DataFrame
            Index "first wins", "tie", "second wins"; columns probability, lower, upper. With
            ties="half" ties have probability 0, and wins have the expected share of points.
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
        used = (row != 0) | (np.arange(len(row)) >= len(row) - self._has_tie)
        student = self._student_of(*np.flatnonzero(used))
        quantile = float(student.ppf(1.0 - check_alpha(alpha) / 2.0))
        terms = Terms.of(np.array([row @ self.estimates]), self.tie)
        probabilities = np.exp(terms.value[:, 0])
        if self.tie is None:
            probabilities[1] = 0.0
        # Derivatives of the log probabilities by the log odds, and by the tie parameter.
        slopes = terms.slope[:, :1] * row
        if self.tie is not None:
            slopes[:, -1] += terms.tie_slope[:, 0]
        rest = probabilities[[1, 0, 0]] + probabilities[[2, 2, 1]]
        with np.errstate(divide="ignore", invalid="ignore"):
            # The derivative of the log odds of p is that of log p divided by 1 - p.
            slopes = slopes / rest[:, None]
            variances = np.sum(slopes @ self.covariance * slopes, axis=1)
            radius = quantile * np.sqrt(np.maximum(variances, 0.0))
            center = np.log(probabilities) - np.log(rest)
        lower, upper = (expit(end) for end in (center - radius, center + radius))
        columns = {"probability": probabilities, "lower": lower, "upper": upper}
        for bound in (lower, upper):
            bound[probabilities == 0] = 0.0
            bound[rest == 0] = 1.0
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
