"""The estimates of a Bradley-Terry fit, with errors by what is independent, and notes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from rankagg.core import counted, listed, plural, said, stated
from rankagg.distributions.bradley_terry.contests import Link, OutcomeModel, Ties
from rankagg.distributions.bradley_terry.model import Model, maximum_of
from rankagg.distributions.bradley_terry.samples import Sample
from rankagg.distributions.bradley_terry.sandwich import (
    FEWEST_UNITS,
    NoErrors,
    UnitCounts,
    check_varies,
    meat_of,
    unit_counts,
)
from rankagg.distributions.maximum import Penalties, inverse_information, less_mean
from rankagg.exceptions import InvalidInputError

CovType: TypeAlias = Literal["auto", "model", "robust", "cluster"]
UNKNOWN = "Errors are not known. "


@dataclass(frozen=True, kw_only=True)
class Options:
    """Checked options of a fit."""

    ties: Ties
    link: Link
    side: bool
    covariates: tuple[str, ...]
    cov_type: CovType
    penalties: Penalties
    tol: float

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
        return "robust" if quasi and self.penalties.is_plain and not sample.are_votes else "model"


def outcome_model(ties: Ties, link: Link) -> OutcomeModel:
    """Return the model of outcomes."""
    if link == "probit":
        return "probit"
    return "half" if ties == "ignore" else ties


def estimates_of(sample: Sample, options: Options) -> dict[str, Any]:
    """Return the fields of the fit but its distribution."""
    items, contests, n = sample.items, sample.contests, len(sample.items)
    names, penalties = ("side",) * options.side + options.covariates, options.penalties
    ghost, outcomes = penalties.pseudo_rankings, outcome_model(options.ties, options.link)
    shown = contests.with_ghost(ghost) if ghost else contests
    model, data = Model(shown, outcomes, penalties.ridge), Model(contests, outcomes)
    peak = maximum_of(model, items, names, options.tol, is_plain=penalties.is_plain)
    # The ghost item is the last one.
    kept = np.delete(np.arange(model.n_parameters), slice(n, model.n))
    estimates = peak.parameters[kept]
    estimates[:n] -= estimates[:n].mean()
    total, kind = float(contests.totals.sum()), options.errors(sample)
    effective = total**2 / float(contests.squares.sum())
    inverse = inverse_information(peak.information, model.n, grounded=not penalties.ridge)
    inverse = less_mean(inverse, model.n)
    by_model = less_mean(inverse[np.ix_(kept, kept)], n) * (total / effective)
    covariance, counts, n_clusters = by_model, None, 0
    unknown = ""
    if kind != "model":
        counts = unit_counts(sample, kind)
        n_clusters = round(counts.number[n]) if kind == "cluster" and counts is not None else 0
        try:
            meat = meat_of(model, peak.parameters, inverse, sample, n_clusters)
            if not penalties.is_plain:
                meat += peak.information
                meat[np.ix_(kept, kept)] -= data.derivatives(estimates).information
            covariance = less_mean((inverse @ meat @ inverse)[np.ix_(kept, kept)], n)
            check_varies(covariance, by_model, items)
        except NoErrors as error:
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
    tie_name = {"davidson": "log nu", "rao-kupper": "log theta"}.get(options.ties, "")
    return {
        "names": (*map(str, items), *names, *((tie_name,) * data.has_tie)),
        "estimates": estimates / units,
        "covariance": covariance / np.outer(units, units),
        "log_likelihood": data.value(estimates) * effective / total,
        "n_parameters": len(kept) - 1,
        "n_observations": effective,
        "converged": peak.converged,
        "n_iterations": peak.n_iterations,
        "notes": (*_notes(sample, options, kind, counts, unknown), *peak.notes()),
        "ties": options.ties,
        "link": options.link,
        "has_side": options.side,
        "cov_type": kind,
        "unit": sample.unit if kind == "cluster" else sample.single,
        "n_clusters": n_clusters,
        "degrees_of_freedom": degrees,
        "model_covariance": by_model / np.outer(units, units),
        "_units": units,
        "_contests": contests,
    }


def _notes(
    sample: Sample,
    options: Options,
    kind: CovType,
    counts: UnitCounts | None,
    unknown: str,
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


def _option_notes(sample: Sample, options: Options) -> Iterator[str]:
    if number := sample.contests.n_ties:
        author = {"davidson": "Davidson 1970", "rao-kupper": "Rao and Kupper 1967"}
        quasi = "half a win for each. The likelihood is a quasi-likelihood, and so are AIC and BIC"
        how = f"modeled ({author[options.ties]})" if options.ties in author else quasi
        yield said("Ties ({}): {}.", stated(number, "ties", "g"), how)
    if sample.n_dropped:
        yield f"Ties ({sample.n_dropped:g}): left out."
    yield from options.penalties.notes()
