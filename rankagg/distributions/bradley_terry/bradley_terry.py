"""The Bradley-Terry distribution and its fit: Plackett-Luce for choices between two."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np

from rankagg._typing import Floats, Tolerance
from rankagg._validation import check_choice, check_flag, check_integer, check_number
from rankagg.aggregation import Evidence
from rankagg.aggregation.evidence import as_data
from rankagg.core import (
    ItemSet,
    PairwiseMatrix,
    Profile,
    ScoreSummary,
    ScoreTable,
    counted,
    listed,
    plural,
    said,
    stated,
)
from rankagg.core.comparisons import Comparisons
from rankagg.distributions.bradley_terry.contests import LINKS, TIE_MODELS, Link, OutcomeModel, Ties
from rankagg.distributions.bradley_terry.model import Model, check_distinct, check_endless
from rankagg.distributions.bradley_terry.samples import Sample, sample_of
from rankagg.distributions.bradley_terry.sandwich import (
    Alone,
    UnitCounts,
    counts_of_units,
    meat_of_contests,
    meat_of_units,
)
from rankagg.distributions.bradley_terry.spectral import spectral_covariance, spectral_worths
from rankagg.distributions.maximum import FAR_PARAMETER, Maximum, centered_covariance, newton
from rankagg.distributions.plackett_luce.plackett_luce import PlackettLuce
from rankagg.distributions.separation import check_connected
from rankagg.distributions.thurstone import Thurstone
from rankagg.exceptions import InvalidInputError, NotIdentifiedError

if TYPE_CHECKING:
    from rankagg.distributions.bradley_terry.result import BradleyTerryFit

CovType: TypeAlias = Literal["auto", "model", "robust", "cluster"]
# Errors by fewer units are not known. Items that fewer compare are named: from four on, intervals
# were measured to hold what they say.
FEWEST_UNITS = 4
UNKNOWN = "Errors are not known. "


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
        data: Comparisons | Profile | ScoreTable | ScoreSummary | PairwiseMatrix,
        *,
        ties: Ties = "half",
        side: bool = False,
        covariates: Iterable[str] = (),
        link: Link = "logit",
        cov_type: CovType = "auto",
        method: Literal["newton", "spectral"] = "newton",
        pseudo_rankings: float = 0.0,
        ridge: float = 0.0,
        tolerance: Tolerance = 0.0,
        max_iterations: int = 100,
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
        ties : {"half", "davidson", "rao-kupper", "ignore"}, default "half"
            "half" counts a tie as half a win for each, which is a quasi-likelihood: a probability
            of ties is not estimated. "davidson" (1970) gives a tie the weight nu times the
            geometric mean of the two worths. "rao-kupper" (1967) is a threshold: who is not better
            by log(theta) in log odds, a logistic error added, ties. "ignore" leaves ties out.
        side : bool, default False
            True estimates the advantage of the side of comparisons, which multiplies the odds
            (Davidson and Beaver 1977); `comparisons.sides` says who has it. In the tie of
            Davidson's model it is part of the worth: where all have a side, nu of 1977 is
            nu exp(side/2) here.
        covariates : iterable of str, optional
            Names of covariates of the comparisons, which say something in favor of the first side:
            a difference of lengths, for instance.
        link : {"logit", "probit"}, default "logit"
            Whether the log odds of the first side are linear, or the normal quantile of its
            chance: values that vary normally, Thurstone's case V (1927). "probit" needs
            ties="half" or "ignore".
        cov_type : {"auto", "model", "robust", "cluster"}, default "auto"
            What errors come from. "model" takes comparisons for independent and the model for
            true. "robust" is the sandwich of single comparisons. "cluster" is that of what is
            independent: the clusters of comparisons; rankings, or their clusters; the tasks of
            scores (families of tasks where they are declared, the instances of a single task).
            Its quantiles are Student's t with one degree of freedom less than there are units;
            where weights of comparisons differ, "robust" has such quantiles too. "auto" is
            "cluster" where the data hold units, "model" for votes, for `pseudo_rankings` and
            `ridge`; else "robust" where ties count half or comparisons have weights, else "model".
        method : {"newton", "spectral"}, default "newton"
            "newton" maximizes the likelihood. "spectral", for a PairwiseMatrix, is rank centrality
            (Negahban, Oh and Shah 2017): the shares of time of a walk from each item to those that
            win against it, with errors of its own.
        pseudo_rankings : float, default 0
            Let every item win and lose so many times against a ghost item. It makes worths finite
            and shrinks them.
        ridge : float, default 0
            Subtract ridge/2 times the sum of the squared log worths: a normal prior with variance
            1/ridge.
        tolerance : float, mapping or Series from task to float, default 0
            For a ScoreTable: which scores are tied; see `ScoreTable.rankings`.
        max_iterations : int, default 100
            Newton steps.
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

        Votes that are added up hold no units. Their errors take comparisons for independent, and
        those of rankings or scores, which are not, are too small: notes say so.

        References
        ----------
        Bradley and Terry (1952), https://doi.org/10.2307/2334029; Davidson (1970),
        https://doi.org/10.1080/01621459.1970.10481082; Rao and Kupper (1967),
        https://doi.org/10.1080/01621459.1967.10482901; Davidson and Beaver (1977),
        https://doi.org/10.2307/2529467; Thurstone (1927), https://doi.org/10.1037/h0070288; Liang
        and Zeger (1986), https://doi.org/10.1093/biomet/73.1.13; MacKinnon, Nielsen and Webb
        (2023), https://doi.org/10.1002/jae.2969; Negahban, Oh and Shah (2017),
        https://doi.org/10.1287/opre.2016.1534.

        Examples
        --------
        >>> import rankagg as ra
        >>> battles = ra.Comparisons.from_arrays("AABBCCAB", "BCCAABBC", [1, 1, 1, -1, 0, 1, -1, 0])
        >>> fit = ra.BradleyTerry.fit(battles, ties="davidson", side=True)
        >>> fit.log_worths.round(3)
        array([ 0.746, -0.354, -0.392])
        """
        data = as_data(data)
        how = check_choice(ties, TIE_MODELS, "ties")
        if check_choice(link, LINKS, "link") == "probit" and how not in ("half", "ignore"):
            remedy = "The two models of ties are for log odds."
            raise InvalidInputError("ties", "'half' or 'ignore' with link='probit'", ties, remedy)
        options = _Options(
            ties=how,
            link=link,
            side=check_flag(side, "side"),
            cov_type=check_choice(cov_type, get_args(CovType), "cov_type"),
            votes=check_number(pseudo_rankings, "pseudo_rankings", low=0),
            ridge=check_number(ridge, "ridge", low=0),
            steps=check_integer(max_iterations, "max_iterations", low=1),
            tol=check_number(tol, "tol", low=0, open_low=True),
        )
        covariates = covariates if isinstance(covariates, str) else tuple(covariates)
        sample = sample_of(
            data,
            drops_ties=how == "ignore",
            side=options.side,
            covariates=covariates,
            tolerance=tolerance,
        )
        if len(sample.items) < 2 or not sample.contests.totals.any():
            remedy = "Ties are no results with ties='ignore'." if how == "ignore" else ""
            raise InvalidInputError("data", "results of two or more items", data, remedy)
        if check_choice(method, ("newton", "spectral"), "method") == "spectral":
            plain = (
                options.is_plain and options.outcomes == "half" and cov_type in ("auto", "model")
            )
            if not (plain and isinstance(data, PairwiseMatrix)):
                allowed = "'newton' but for a PairwiseMatrix without a prior or modeled ties"
                raise InvalidInputError("method", allowed, method)
        fit = _by_likelihood(sample, options, tuple(covariates))
        if method != "newton":
            fit = _by_walk(fit, sample, options)
        return replace(fit, notes=(*fit.notes, *Evidence(data).gaps(by_policy=False)))

    def __repr__(self) -> str:
        ties = ", with ties" if self.log_ties else ""
        items = counted(self.n_items, "item")
        return f"<BradleyTerry distribution on {items}: {self._by_worth()}{ties}>"


@dataclass(frozen=True, kw_only=True)
class _Options:
    """Checked options of a fit."""

    ties: Ties
    link: Link
    side: bool
    cov_type: CovType
    # Of each item against a ghost item.
    votes: float
    ridge: float
    steps: int
    tol: float

    @property
    def is_plain(self) -> bool:
        """Whether the likelihood of the data is maximized, without a prior."""
        return not (self.votes or self.ridge)

    @property
    def outcomes(self) -> OutcomeModel:
        """The model of outcomes."""
        if self.link == "probit":
            return "probit"
        return "half" if self.ties == "ignore" else self.ties

    def errors(self, sample: Sample) -> CovType:
        """Return what errors come from."""
        if self.cov_type == "cluster" and sample.blocks is None:
            allowed = "'auto', 'model' or 'robust' for comparisons without clusters"
            remedy = "State the cluster of each comparison, a judge or a prompt."
            raise InvalidInputError("cov_type", allowed, "cluster", remedy)
        if self.cov_type != "auto":
            return self.cov_type
        if sample.blocks is not None:
            return "cluster"
        # No likelihood is behind half a win, or behind weights.
        quasi = (self.ties == "half" and sample.contests.n_ties > 0) or sample.is_weighted
        return "robust" if quasi and self.is_plain and not sample.are_votes else "model"


@dataclass(frozen=True, eq=False)
class _NoErrors(Exception):  # noqa: N818 - it is caught, and told as a note or with the option
    """Why what varies is not known."""

    reason: str
    allowed: str = "'model' or 'robust' here"


def _by_likelihood(
    sample: Sample, options: _Options, covariates: tuple[str, ...]
) -> BradleyTerryFit:
    """Return the fit of maximum likelihood, or of the maximum with a prior."""
    from rankagg.distributions.bradley_terry.result import BradleyTerryFit  # noqa: PLC0415

    items, contests, n = sample.items, sample.contests, len(sample.items)
    names = ("side",) * options.side + covariates
    shown = contests.with_ghost(options.votes) if options.votes else contests
    model, data = Model(shown, options.outcomes, options.ridge), Model(contests, options.outcomes)
    peak = _checked_maximum(model, items, names, options)
    # The ghost item is the last one.
    kept = np.delete(np.arange(model.n_parameters), slice(n, model.n))
    estimates = peak.parameters[kept]
    estimates[:n] -= estimates[:n].mean()
    total, kind = float(contests.totals.sum()), options.errors(sample)
    effective = total**2 / float(contests.squares.sum())
    inverse = centered_covariance(peak.information, model.n, grounded=not options.ridge)
    by_model = _centered(inverse[np.ix_(kept, kept)], n) * (total / effective)
    covariance, counts, n_clusters = by_model, None, 0
    unknown = ""
    if kind != "model":
        counts = _unit_counts(sample, kind)
        n_clusters = round(counts.number[n]) if kind == "cluster" and counts is not None else 0
        try:
            meat = _meat(model, peak.parameters, inverse, sample, n_clusters)
            if not options.is_plain:
                meat += peak.information
                meat[np.ix_(kept, kept)] -= data.derivatives(estimates).information
            covariance = _centered((inverse @ meat @ inverse)[np.ix_(kept, kept)], n)
            _check_varies(covariance, by_model, items)
        except _NoErrors as error:
            if options.cov_type != "auto":
                raise InvalidInputError("cov_type", error.allowed, kind, error.reason) from None
            covariance, unknown = np.full_like(by_model, np.nan), UNKNOWN + error.reason
    degrees = np.full(len(kept), np.inf)
    if counts is not None:
        # Fewer than one has no quantiles to speak of.
        freedom = np.maximum(counts.effective - 1.0, 1.0)
        degrees[:n], degrees[n:] = freedom[:n], freedom[n]
    units = np.ones(len(kept))
    units[n : n + contests.n_extras] = contests.units
    tie = data.split(estimates)[2]
    tie_name = {"davidson": "log nu", "rao-kupper": "log theta"}.get(options.ties, "")
    log_ties = {2: tie} if tie is not None and options.ties == "davidson" else {}
    distribution: BradleyTerry | Thurstone
    if options.link == "logit":
        distribution = BradleyTerry(estimates[:n], items=items, log_ties=log_ties)
    else:
        distribution = Thurstone(estimates[:n], items=items)
    return BradleyTerryFit(
        distribution=distribution,
        names=(*map(str, items), *names, *((tie_name,) * data.has_tie)),
        estimates=estimates / units,
        covariance=covariance / np.outer(units, units),
        log_likelihood=data.value(estimates) * effective / total,
        n_parameters=len(kept) - 1,
        n_observations=effective,
        converged=peak.converged,
        n_iterations=peak.n_iterations,
        notes=(*_notes(sample, options, kind, counts, unknown), *peak.notes()),
        ties=options.ties,
        link=options.link,
        has_side=options.side,
        cov_type=kind,
        unit=sample.unit if kind == "cluster" else sample.single,
        n_clusters=n_clusters,
        degrees_of_freedom=degrees,
        model_covariance=by_model / np.outer(units, units),
        _units=units,
        _contests=contests,
    )


def _centered(covariance: Floats, n: int) -> Floats:
    """Return the covariance of log worths less their mean, and of the other parameters."""
    project = np.eye(len(covariance))
    project[:n, :n] -= 1.0 / n
    centered = project @ covariance @ project.T
    return np.asarray((centered + centered.T) / 2.0)


def _by_walk(fit: BradleyTerryFit, sample: Sample, options: _Options) -> BradleyTerryFit:
    """Return the fit by rank centrality in place of that of maximum likelihood."""
    contests, n = sample.contests, len(sample.items)
    (won, tied, lost), wins = contests.results, np.zeros((n, n))
    wins[contests.first, contests.second] = won + tied / 2.0
    wins[contests.second, contests.first] = lost + tied / 2.0
    met = wins + wins.T
    logs = spectral_worths(np.divide(wins, met, out=np.zeros_like(wins), where=met > 0))
    scale = fit.n_observations / float(contests.totals.sum())
    covariance = spectral_covariance(logs, met * scale)
    _, *notes = _notes(sample, options, "model")
    told = "Log worths sum to 0, by rank centrality: near the maximum of the likelihood, not there."
    return replace(
        fit,
        distribution=BradleyTerry(logs, items=sample.items),
        estimates=logs,
        covariance=covariance,
        model_covariance=covariance,
        log_likelihood=Model(contests, "half").value(logs) * scale,
        converged=True,
        n_iterations=0,
        notes=(told, *notes),
    )


def _checked_maximum(
    model: Model, items: ItemSet, names: Sequence[str], options: _Options
) -> Maximum:
    """Return the maximum of the likelihood, or raise where there is none."""
    if options.is_plain:
        check_connected(
            model.contests.beats(),
            items,
            words=("without a comparison", "never lost or tied", "never won or tied"),
            loses="ever lost to a later one or tied with it",
            remedy="Leave such items out, or set `pseudo_rankings=0.5`: half a win and half a "
            "loss more for every item.",
            camps=True,
        )
    check_distinct(model, names)
    if model.has_tie and not model.contests.results[[0, 2]].any():
        raise NotIdentifiedError(
            "Every comparison is a tie: the likelihood rises for ever with the tie parameter. Use "
            "`ties='half'`."
        )
    peak = newton(model, options.steps, options.tol)
    furthest = np.abs(model.odds(peak.parameters)).max(initial=0.0)
    if (
        not peak.converged
        or max(furthest, abs(model.split(peak.parameters)[2] or 0.0)) > FAR_PARAMETER
    ):
        check_endless(model, items, names)
    return peak


def _unit_counts(sample: Sample, kind: CovType) -> UnitCounts | None:
    """Return how many units compare each item; None where they are single and alike."""
    contests = sample.contests
    if kind == "cluster" and sample.blocks is not None:
        return counts_of_units(contests, sample.blocks(), sample.repeats)
    if sample.singles is None:
        return None
    # Comparisons enter a variance by the squares of their weights.
    return counts_of_units(contests, sample.singles(), None, power=2)


def _meat(
    model: Model, parameters: Floats, inverse: Floats, sample: Sample, n_units: int
) -> Floats:
    """Return the covariance of the score by so many units; by single comparisons if they are 0."""
    unit = str(sample.unit) if n_units else "comparison"
    if 0 < n_units < FEWEST_UNITS:
        reason = (
            f"There {'is' if n_units == 1 else 'are'} {counted(n_units, unit)}, and what varies "
            "between so few is not known."
        )
        few = f"fewer than {FEWEST_UNITS} {plural(unit)}"
        raise _NoErrors(reason, f"'model' or 'robust' with {few}")
    try:
        if not n_units or sample.blocks is None or sample.repeats is None:
            return meat_of_contests(model, parameters, inverse, sample.contests)
        return meat_of_units(model, parameters, inverse, sample.blocks(), sample.repeats)
    except Alone as alone:
        items, n = sample.items, len(sample.items)
        worths = alone.direction[:n] - np.median(alone.direction[:n])
        moved = np.abs(worths) > 1e-6 * np.abs(alone.direction).max()
        what = f"the worth of {listed(items.where(moved))}" if moved.any() else "an effect"
        if not n_units:
            reason = f"Only one comparison tells {what}, so that its error is not known."
            raise _NoErrors(reason, "'model' here") from None
        raise _NoErrors(
            f"Only {sample.named(alone.unit)} tells {what}, so that what varies between "
            f"{plural(unit)} is not known. Leave it out, or collect others."
        ) from None


def _check_varies(found: Floats, by_model: Floats, items: ItemSet) -> None:
    """Raise where the sandwich has no error for a difference, as of two items that always tie."""

    def of_differences(covariance: Floats) -> Floats:
        variances = np.diag(covariance)[: len(items)]
        own = covariance[: len(items), : len(items)]
        return variances[:, None] + variances[None, :] - 2.0 * own

    unknown = of_differences(found) <= 1e-10 * of_differences(by_model)
    np.fill_diagonal(unknown, False)
    if unknown.any():
        one, other = items.pairs_where(unknown)[0]
        told = f"Nothing varies in the results that compare {one!r} with {other!r}."
        raise _NoErrors(told, "'model' here")


def _notes(
    sample: Sample,
    options: _Options,
    kind: CovType,
    counts: UnitCounts | None = None,
    unknown: str = "",
) -> Iterator[str]:
    unit = str(sample.unit)
    if options.link == "probit":
        yield "Worths are in standard deviations of a difference (Thurstone 1927, case V); sum 0."
    else:
        yield "Log worths sum to 0; standard errors are for that contrast."
    if unknown:
        yield unknown
    elif kind == "cluster" and counts is not None:
        yield (
            f"Errors by the sandwich of {counted(round(counts.number[-1]), unit)}, with quantiles "
            "of Student's t by how many of them compare an item."
        )
    else:
        source = {"model": "model", "robust": "sandwich"}[kind]
        where = "votes hold no units, and " if sample.are_votes else ""
        yield f"Errors by the {source}: {where}comparisons are taken for independent."
    if kind != "cluster" and sample.single is None:
        yield (
            "These comparisons depend on each other, since rankings or scores make several each: "
            "errors are too small. Fit the rankings or scores themselves, with errors by what is "
            "independent."
        )
    yield from _option_notes(sample, options)
    if kind == "cluster" and counts is not None:
        few = counts.number[:-1] < FEWEST_UNITS
        if few.any() and not unknown:
            yield (
                f"Fewer than {FEWEST_UNITS} {plural(unit)} compare "
                f"{listed(sample.items.where(few))}: intervals were measured to hold from that "
                "number on."
            )
    if sample.is_weighted:
        yield "Weighted comparisons: the number of observations is the effective one."


def _option_notes(sample: Sample, options: _Options) -> Iterator[str]:
    if number := sample.contests.n_ties:
        author = {"davidson": "Davidson 1970", "rao-kupper": "Rao and Kupper 1967"}
        quasi = "half a win for each. The likelihood is a quasi-likelihood, and so are AIC and BIC"
        how = f"modeled ({author[options.ties]})" if options.ties in author else quasi
        yield said("Ties ({}): {}.", stated(number, "ties", "g"), how)
    if sample.n_dropped:
        yield f"Ties ({sample.n_dropped:g}): left out."
    if options.votes:
        votes = counted(options.votes, "pseudo-ranking", "g")
        yield f"With {votes} per item; the likelihood is of the data."
    if options.ridge:
        yield f"With a ridge of {options.ridge:g}; the likelihood is of the data."
