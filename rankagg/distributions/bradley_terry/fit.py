"""Worths from comparisons of two, with ties, the advantage of a side, covariates and clusters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, TypeAlias, get_args

import numpy as np

from rankagg._lazy import warn_moved
from rankagg._typing import Floats, Positions
from rankagg._validation import check_choice, check_flag, check_integer, check_number
from rankagg.core import ItemSet, counted, listed
from rankagg.core.comparisons import Comparisons
from rankagg.distributions.bradley_terry.contests import (
    LINKS,
    TIE_MODELS,
    Entries,
    Link,
    OutcomeModel,
    Ties,
    contests_of,
)
from rankagg.distributions.bradley_terry.model import Model, check_distinct, check_endless
from rankagg.distributions.bradley_terry.result import BradleyTerryFit
from rankagg.distributions.bradley_terry.sandwich import (
    Alone,
    cluster_covariance,
    effective_clusters,
    separate_covariance,
)
from rankagg.distributions.maximum import FAR_PARAMETER, Maximum, centered_covariance, newton
from rankagg.distributions.plackett_luce.bradley_terry import BradleyTerry
from rankagg.distributions.separation import check_connected
from rankagg.distributions.thurstone import Thurstone
from rankagg.exceptions import InvalidInputError, NotIdentifiedError, nearest

CovType: TypeAlias = Literal["auto", "model", "robust", "cluster"]
# Errors by fewer clusters are refused. Items that fewer compare are named: from four on, intervals
# were measured to hold what they say.
FEWEST_CLUSTERS = 4


def fit_bradley_terry(
    comparisons: Comparisons,
    *,
    ties: Ties = "half",
    side: bool = False,
    covariates: Iterable[str] = (),
    link: Link = "logit",
    cov_type: Literal["auto", "model", "robust", "cluster"] = "auto",
    max_iterations: int = 100,
    tolerance: float = 1e-9,
    errors: str | None = None,
) -> BradleyTerryFit:
    """Estimate worths from comparisons of two items.

    The log odds of the first side are l_i - l_j, the difference of the log worths, plus the
    advantage of the side, plus the covariates times their effects.

    Parameters
    ----------
    comparisons : Comparisons
        Who met whom, and who won.
    ties : {"half", "davidson", "rao-kupper"}, default "half"
        "half" counts a tie as half a win for each, which is a quasi-likelihood: a probability of
        ties is not estimated, and errors come from the sandwich. "davidson" (1970) gives a tie the
        weight nu times the geometric mean of the two worths. "rao-kupper" (1967) is a threshold:
        who is not better by log(theta) in log odds, a logistic error added, ties.
    side : bool, default False
        True estimates the advantage of the side, which multiplies the odds (Davidson and Beaver
        1977); `comparisons.sides` says who has it. In the tie of Davidson's model it is part of
        the worth: where all have a side, nu of 1977 is nu exp(side/2) here.
    covariates : iterable of str, optional
        Names of covariates of the comparisons, which say something in favor of the first side: a
        difference of lengths, for instance.
    link : {"logit", "probit"}, default "logit"
        Whether the log odds of the first side are linear, or the normal quantile of its chance:
        values that vary normally, Thurstone's case V (1927). It has ties="half".
    cov_type : {"auto", "model", "robust", "cluster"}, default "auto"
        What errors come from. "model" takes comparisons for independent and the model for true.
        "robust" is the sandwich of single comparisons, "cluster" that of the clusters, with
        quantiles of Student's t with one degree of freedom less than there are clusters. Where
        weights of comparisons differ, "robust" has such quantiles too. "auto" is "cluster" where
        comparisons have clusters, else "robust" where ties count half or comparisons have weights,
        else "model".
    max_iterations : int, default 100
        Newton steps.
    tolerance : float, default 1e-9
        No log worth moves by more in a last step.
    errors : str, optional
        The former name of `cov_type`, which goes with version 2.

    Returns
    -------
    BradleyTerryFit

    Raises
    ------
    NotIdentifiedError
        If the likelihood has no finite maximum, or more than one: it says which items, side or
        covariates are the reason.
    InvalidInputError
        If errors by cluster are asked for, and there are fewer than 4 clusters, or one alone knows
        something; or if ties are to be modeled with the probit link.

    Notes
    -----
    A weight says how important a comparison is; it does not stand for so many comparisons, which
    have a row each. Sandwich errors are those of the one-step delete-one jackknife.

    References
    ----------
    Bradley and Terry (1952), https://doi.org/10.2307/2334029; Davidson (1970),
    https://doi.org/10.1080/01621459.1970.10481082; Rao and Kupper (1967),
    https://doi.org/10.1080/01621459.1967.10482901; Davidson and Beaver (1977),
    https://doi.org/10.2307/2529467; Thurstone (1927), https://doi.org/10.1037/h0070288; Liang
    and Zeger (1986), https://doi.org/10.1093/biomet/73.1.13; MacKinnon, Nielsen and Webb (2023),
    https://doi.org/10.1002/jae.2969.

    Examples
    --------
    >>> import rankagg as ra
    >>> battles = ra.Comparisons.from_arrays("AABBCCAB", "BCCAABBC", [1, 1, 1, -1, 0, 1, -1, 0])
    >>> fit = ra.fit_bradley_terry(battles, ties="davidson", side=True)
    >>> fit.log_worths.round(3)
    array([ 0.746, -0.354, -0.392])
    """
    if errors is not None:
        warn_moved("`errors` of fit_bradley_terry", "`cov_type`")
        cov_type = errors  # type: ignore[assignment]  # it is checked below
    remedy = "`BradleyTerry.fit` takes ballots, scores and votes."
    if not isinstance(comparisons, Comparisons):
        raise InvalidInputError("comparisons", "Comparisons", comparisons, remedy)
    ties = check_choice(ties, TIE_MODELS, "ties")
    if check_choice(link, LINKS, "link") == "probit" and ties != "half":
        remedy = "The two models of ties are for log odds."
        raise InvalidInputError("ties", "'half' with link='probit'", ties, remedy)
    side, chosen = check_flag(side, "side"), _checked_covariates(covariates, comparisons)
    kind = _cov_type(check_choice(cov_type, get_args(CovType), "cov_type"), ties, comparisons)
    steps = check_integer(max_iterations, "max_iterations", low=1)
    close = check_number(tolerance, "tolerance", low=0, open_low=True)
    clusters = _used_clusters(comparisons) if kind == "cluster" else None
    contests, entries = contests_of(
        comparisons, side=side, covariates=chosen, entries=clusters is not None
    )
    names = ("side",) * side + chosen
    outcomes: OutcomeModel = "probit" if link == "probit" else ties
    model, items, n = Model(contests, outcomes), comparisons.items, contests.n_items
    peak = _checked_maximum(model, items, names, steps, close)
    effective = float(contests.totals.sum() ** 2 / contests.squares.sum())
    plain = centered_covariance(peak.information, n)
    by_model = plain * (float(contests.totals.sum()) / effective)
    covariance = by_model
    if kind != "model":
        sample = None if entries is None or clusters is None else (entries, clusters)
        covariance = _sandwich(model, peak.parameters, plain, comparisons, sample)
        _check_varies(covariance, by_model, comparisons, kind)
    degrees, known = _degrees(model, kind, comparisons, clusters)
    log_worths, _, tie = model.split(peak.parameters)
    units = np.ones(model.n_parameters)
    units[n : n + contests.n_extras] = contests.units
    tie_names = {"davidson": "log nu", "rao-kupper": "log theta", "half": ""}
    log_ties = {2: tie} if tie is not None and ties == "davidson" else {}
    n_clusters = 0 if clusters is None else int(clusters.max()) + 1
    notes = _fit_notes(model, kind, comparisons, known, n_clusters)
    distribution: BradleyTerry | Thurstone = Thurstone(log_worths, items=items)
    if link == "logit":
        distribution = BradleyTerry(log_worths, items=items, log_ties=log_ties)
    return BradleyTerryFit(
        distribution=distribution,
        names=(*map(str, items), *names, *([tie_names[ties]] if model.has_tie else ())),
        estimates=peak.parameters / units,
        covariance=covariance / np.outer(units, units),
        log_likelihood=peak.value * effective / float(contests.totals.sum()),
        n_parameters=len(peak.parameters) - 1,
        n_observations=effective,
        converged=peak.converged,
        n_iterations=peak.n_iterations,
        notes=(*notes, *peak.notes()),
        ties=ties,
        link=link,
        has_side=side,
        cov_type=kind,
        n_clusters=n_clusters,
        degrees_of_freedom=degrees,
        model_covariance=by_model / np.outer(units, units),
        _units=units,
        _contests=contests,
    )


def _cov_type(stated: CovType, ties: Ties, comparisons: Comparisons) -> CovType:
    """Return what "auto" stands for."""
    if stated == "cluster" and comparisons.clusters is None:
        allowed = "'auto', 'model' or 'robust' for comparisons without clusters"
        remedy = "State the cluster of each comparison, a judge or a prompt, when you make them."
        raise InvalidInputError("cov_type", allowed, stated, remedy)
    if stated != "auto":
        return stated
    if comparisons.clusters is not None:
        return "cluster"
    # No likelihood is behind half a win, or behind weights.
    quasi = (ties == "half" and comparisons.n_ties > 0) or comparisons.weights is not None
    return "robust" if quasi else "model"


def _checked_covariates(covariates: Iterable[str], comparisons: Comparisons) -> tuple[str, ...]:
    if isinstance(covariates, str) or not isinstance(covariates, Iterable):
        raise InvalidInputError("covariates", "a sequence of names", covariates)
    names, known = tuple(covariates), tuple(comparisons.covariates)
    for at, name in enumerate(names):
        if name not in known:
            there = ", ".join(map(repr, known)) or "none"
            allowed = f"names of covariates of the comparisons ({there})"
            raise InvalidInputError("covariates", allowed, name, nearest(name, known))
        if name in names[:at]:
            raise InvalidInputError("covariates", "different names", name, "It occurs twice.")
    return names


def _used_clusters(comparisons: Comparisons) -> Positions:
    """Return the cluster of each comparison, those that occur counted from 0."""
    codes = np.asarray(comparisons.clusters)
    there = np.bincount(codes) > 0
    number = int(there.sum())
    if number < FEWEST_CLUSTERS:
        allowed = f"'model' or 'robust' with fewer than {FEWEST_CLUSTERS} clusters"
        remedy = (
            f"There {'is' if number == 1 else 'are'} {counted(number, 'cluster')}, and what varies "
            "between so few is not known."
        )
        raise InvalidInputError("cov_type", allowed, "cluster", remedy)
    places: Positions = (np.cumsum(there) - 1)[codes]
    return places


def _checked_maximum(
    model: Model, items: ItemSet, names: Sequence[str], steps: int, tolerance: float
) -> Maximum:
    """Return the maximum of the likelihood, or raise where there is none."""
    contests = model.contests
    check_connected(
        contests.beats(),
        items,
        words=("without a comparison", "never lost or tied", "never won or tied"),
        loses="ever lost to a later one or tied with it",
        remedy="Leave such items out, or fit `ra.BradleyTerry.fit(comparisons.pairwise(), "
        "pseudo_rankings=0.5)`, which has no side and no covariates.",
        camps=True,
    )
    check_distinct(model, names)
    if model.has_tie and not contests.results[[0, 2]].any():
        raise NotIdentifiedError(
            "Every comparison is a tie: the likelihood rises for ever with the tie parameter. Use "
            "`ties='half'`."
        )
    peak = newton(model, steps, tolerance)
    furthest = np.abs(model.odds(peak.parameters)).max(initial=0.0)
    if (
        not peak.converged
        or max(furthest, abs(model.split(peak.parameters)[2] or 0.0)) > FAR_PARAMETER
    ):
        check_endless(model, items, names)
    return peak


def _sandwich(
    model: Model,
    parameters: Floats,
    plain: Floats,
    comparisons: Comparisons,
    sample: tuple[Entries, Positions] | None,
) -> Floats:
    """Return the sandwich by cluster, or by single comparisons where there are none."""
    try:
        if sample is None:
            return separate_covariance(model, parameters, plain)
        return cluster_covariance(model, parameters, plain, *sample)
    except Alone as alone:
        items, moves = comparisons.items, np.abs(alone.direction)
        worths = alone.direction[: len(items)] - np.median(alone.direction[: len(items)])
        moved = np.abs(worths) > 1e-6 * moves.max()
        what = f"the worth of {listed(items.where(moved))}" if moved.any() else "an effect"
        if sample is None:
            told = f"A single comparison alone tells {what}, so that its error is not known."
            raise InvalidInputError("cov_type", "'model' here", "robust", told) from None
        codes = np.unique(np.asarray(comparisons.clusters))
        label = comparisons.cluster_labels[int(codes[alone.cluster])]
        told = (
            f"Cluster {label!r} alone tells {what}, so that what varies between clusters is not "
            "known. Leave it out, or collect comparisons from other clusters."
        )
        allowed = "'model' or 'robust' here"
        raise InvalidInputError("cov_type", allowed, "cluster", told) from None


def _check_varies(found: Floats, by_model: Floats, comparisons: Comparisons, kind: CovType) -> None:
    """Raise where the sandwich has no error for a difference, as of two items that always tie."""
    items = comparisons.items

    def of_differences(covariance: Floats) -> Floats:
        variances = np.diag(covariance)[: len(items)]
        own = covariance[: len(items), : len(items)]
        return variances[:, None] + variances[None, :] - 2.0 * own

    unknown = of_differences(found) <= 1e-10 * of_differences(by_model)
    np.fill_diagonal(unknown, False)
    if unknown.any():
        one, other = items.pairs_where(unknown)[0]
        told = f"Nothing varies in what tells {one!r} from {other!r}, so that it shows no error."
        raise InvalidInputError("cov_type", "'model' here", kind, told)


def _degrees(
    model: Model, kind: CovType, comparisons: Comparisons, clusters: Positions | None
) -> tuple[Floats, Positions | None]:
    """Return degrees of freedom of the errors of each parameter, and clusters of each item."""
    n, free, weights = model.n, np.full(model.n_parameters, np.inf), comparisons.weights
    units = clusters
    if kind == "robust" and weights is not None and np.ptp(weights):
        # Comparisons enter a variance by the squares of their weights.
        units, weights = np.arange(len(comparisons)), weights**2
    if units is None:
        return free, None
    found, number = effective_clusters(comparisons.first, comparisons.second, units, weights, n)
    # Fewer than one has no quantiles to speak of.
    free[:n], free[n:] = np.maximum(found[:n] - 1.0, 1.0), max(found[n] - 1.0, 1.0)
    return free, None if clusters is None else number


def _fit_notes(
    model: Model,
    kind: CovType,
    comparisons: Comparisons,
    known: Positions | None,
    n_clusters: int,
) -> Iterator[str]:
    number = model.contests.n_ties
    if model.ties == "probit":
        yield "Worths are in standard deviations of a difference (Thurstone 1927, case V); sum 0."
    else:
        yield "Log worths sum to 0; standard errors are for that contrast."
    if not number:
        yield "There are no ties."
    elif not model.has_tie:
        yield (
            f"Ties ({number:g}): half a win for each. The likelihood is a quasi-likelihood, and so "
            "are AIC and BIC."
        )
    else:
        author = {"davidson": "Davidson 1970", "rao-kupper": "Rao and Kupper 1967"}[model.ties]
        yield f"Ties ({number:g}): modeled ({author})."
    if kind == "cluster":
        yield (
            f"Errors by the sandwich of {n_clusters} clusters, with quantiles of Student's t by "
            "how many clusters compare an item."
        )
    else:
        source = {"model": "model", "robust": "sandwich"}[kind]
        yield f"Errors by the {source}: comparisons are taken for independent."
    if known is not None and (known < FEWEST_CLUSTERS).any():
        few = listed(comparisons.items.where(known < FEWEST_CLUSTERS))
        yield (
            f"Fewer than {FEWEST_CLUSTERS} clusters compare {few}: intervals were measured to hold "
            "from that number on."
        )
    if comparisons.weights is not None:
        yield "Weighted comparisons: the number of observations is the effective one."
