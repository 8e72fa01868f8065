"""Bradley-Terry: Plackett-Luce for choices between two."""

from __future__ import annotations

from typing import Literal

import numpy as np

from rankagg._typing import Floats
from rankagg._validation import check_choice
from rankagg.core import UNRANKED, PairwiseMatrix, Profile, ScoreSummary, counted
from rankagg.distributions.plackett_luce.choices import Chain, ChainSets, Choices
from rankagg.distributions.plackett_luce.fit import FitOptions, Sample, maximize_choices
from rankagg.distributions.plackett_luce.likelihood import DistinctChoices, Likelihood
from rankagg.distributions.plackett_luce.plackett_luce import PlackettLuce
from rankagg.distributions.plackett_luce.result import PlackettLuceFit
from rankagg.distributions.plackett_luce.spectral import spectral_covariance, spectral_worths
from rankagg.distributions.separation import check_connected
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
        data: Profile | ScoreSummary | PairwiseMatrix,
        *,
        ties: Literal["half", "davidson", "ignore"] = "half",
        method: Literal["newton", "mm", "spectral"] = "newton",
        pseudo_rankings: float = 0.0,
        ridge: float = 0.0,
        max_iterations: int | None = None,
        tolerance: float = 1e-9,
    ) -> PlackettLuceFit:
        """Estimate log worths from results of pairs.

        Parameters
        ----------
        data : Profile, ScoreSummary or PairwiseMatrix
            Ballots, what scores add up to, or votes for row above column. The pairs of a ballot
            of three or more items are taken for independent, which they are not: errors are then
            too small, and a note says so; `PlackettLuce.fit` takes whole rankings.
        ties : {"half", "davidson", "ignore"}, default "half"
            A tie is half a win for each; or an outcome of its own, with a weight (Davidson 1970);
            or left out.
        method : {"newton", "mm", "spectral"}, default "newton"
            As for `PlackettLuce.fit`; or rank centrality (Negahban, Oh and Shah 2017), the shares
            of time of a walk from each item to those that win against it, with errors of its own:
            near the maximum of the likelihood where comparisons are many, at less cost.
        pseudo_rankings, ridge, max_iterations, tolerance
            As for `PlackettLuce.fit`.

        Returns
        -------
        PlackettLuceFit

        Raises
        ------
        NotIdentifiedError
            If the likelihood has no finite maximum.

        References
        ----------
        Negahban, Oh and Shah (2017), "Rank centrality: ranking from pairwise comparisons",
        https://doi.org/10.1287/opre.2016.1534.
        """
        check_choice(method, ("newton", "mm", "spectral"), "method")
        options = FitOptions(
            method="mm" if method == "mm" else "newton",
            pseudo_rankings=pseudo_rankings,
            ridge=ridge,
            max_iterations=max_iterations,
            tolerance=tolerance,
        )
        how = check_choice(ties, ("half", "davidson", "ignore"), "ties")
        if method == "spectral" and (options.is_regular or how == "davidson"):
            allowed = "'newton' with pseudo-rankings, a ridge or modeled ties"
            raise InvalidInputError("method", allowed, method)
        notes = []
        if isinstance(data, PairwiseMatrix):
            votes = data
        elif isinstance(data, Profile | ScoreSummary):
            votes = data.pairwise("ignore")
            if _longest(data) > 2:
                notes.append("Pairs of longer rankings are not independent: errors are too small.")
        else:
            raise InvalidInputError("data", "a Profile, ScoreSummary or PairwiseMatrix", data)
        if votes.n_items < 2:
            raise InvalidInputError("data", "results of two or more items", data)
        wins, tied = _results(votes, how)
        if number := float(np.triu(votes.ties, k=1).sum()):
            kind = {"half": "half a win for each", "davidson": "modeled", "ignore": "left out"}[how]
            notes.append(f"Ties ({number:g}): {kind}.")
        if not options.is_regular:
            if not (isinstance(data, PairwiseMatrix) or votes.is_exact):
                _check_lost(data, votes, wins + tied, how)
            check_connected((wins + tied) > 0, votes.items)
        total = float(np.triu(wins + wins.T + tied, k=1).sum())
        if not total:
            remedy = "Ties are no results with ties='ignore'."
            raise InvalidInputError("data", "results of at least one pair", data, remedy)
        weight = float(np.triu(votes.comparisons, k=1).sum())
        effective = total * weight / float(np.triu(votes.squared_weights, k=1).sum())
        choices = _choices_of_pairs(wins, tied)
        sample = Sample(
            votes.items, choices, total, effective, lambda: _distinct_choices(wins, tied)
        )
        if method == "spectral":
            scale = votes.comparisons / np.where(
                votes.squared_weights > 0, votes.squared_weights, 1
            )
            return _by_walk(sample, wins, (wins + wins.T) * scale, notes)
        return maximize_choices(sample, options, BradleyTerry, notes)

    def __repr__(self) -> str:
        ties = ", with ties" if self.log_ties else ""
        items = counted(self.n_items, "item")
        return f"<BradleyTerry distribution on {items}: {self._by_worth()}{ties}>"


def _by_walk(sample: Sample, wins: Floats, counts: Floats, notes: list[str]) -> PlackettLuceFit:
    """Return the fit by rank centrality."""
    met = wins + wins.T
    logs = spectral_worths(np.divide(wins, met, out=np.zeros_like(wins), where=met > 0))
    at = Likelihood(sample.choices).derivatives(logs)
    told = "Log worths sum to 0, by rank centrality: near the maximum of the likelihood, not there."
    return PlackettLuceFit(
        distribution=BradleyTerry(logs, items=sample.items),
        names=tuple(map(str, sample.items)),
        estimates=logs,
        covariance=spectral_covariance(logs, counts),
        log_likelihood=at.value * sample.effective / sample.total,
        n_parameters=len(logs) - 1,
        n_observations=sample.effective,
        converged=True,
        n_iterations=0,
        notes=(told, *notes),
        gradient_norm=float(np.abs(at.gradient).max()),
        log_likelihood_equal=np.nan,
        _score=np.nan,
    )


def _longest(data: Profile | ScoreSummary) -> int:
    """Return the number of items of the longest ranking."""
    if isinstance(data, Profile):
        return int((data.ranks != UNRANKED).sum(axis=1).max())
    tallies = data.tallies.values()
    if any(tally.n_units > tally.units_of_size.sum() for tally in tallies):
        return data.n_systems
    return int(max(tally.sizes[-1] for tally in tallies))


def _check_lost(
    data: Profile | ScoreSummary, votes: PairwiseMatrix, results: Floats, ties: str
) -> None:
    """Raise where rounding the weights left out results that decide whether there is a maximum."""
    plain: Profile | ScoreSummary
    if isinstance(data, Profile):
        plain, weights = Profile._trusted(data.items, data.ranks), data.weights
    else:
        plain, weights = data.with_task_weights({}), data.weight_vector
    wins, tied = _results(plain.pairwise("ignore"), ties)
    if ((wins + tied > 0) & (results == 0)).any():
        allowed = f"at least {votes.rounding:g}, the step of the votes beside the largest"
        remedy = "Results of smaller weight are lost: leave them out."
        raise InvalidInputError("weights", allowed, float(weights.min()), remedy)


def _results(votes: PairwiseMatrix, ties: str) -> tuple[Floats, Floats]:
    if ties == "half":
        return votes.wins + votes.ties / 2.0, np.zeros_like(votes.ties)
    return votes.wins + 0.0, votes.ties + 0.0 if ties == "davidson" else np.zeros_like(votes.ties)


def _distinct_choices(wins: Floats, ties: Floats) -> DistinctChoices:
    n = len(wins)
    items = np.eye(n, dtype=bool)
    first, second = np.nonzero(wins)
    one, other = np.nonzero(np.triu(ties, k=1))
    tables = [
        (items[first] | items[second], items[first]),
        (items[one] | items[other], items[one] | items[other]),
    ]
    return DistinctChoices.of(tables, n)


def _choices_of_pairs(wins: Floats, ties: Floats) -> Choices:
    n = len(wins)
    first, second = np.triu_indices(n, k=1)
    weights = (wins + wins.T + ties)[first, second]
    kept = weights > 0
    met = np.column_stack([first[kept], second[kept]]).astype(np.int32)
    sets = ChainSets(n, (Chain(met, np.ones((len(met), 1), dtype=bool)),))
    tied = float(np.triu(ties, k=1).sum())
    sizes = {1: float(wins.sum()), **({2: tied} if tied else {})}
    return Choices(sets, weights[kept], wins.sum(axis=1) + ties.sum(axis=1) / 2.0, sizes)
