"""Every bundled data set loads, and every known answer that is stated about it holds."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rankagg as ra
from tests import oracles

NAMES = ra.datasets.names()
Checks = dict[str, Callable[[Any, ra.Profile, Any], None]]


def _profile(data: ra.ScoreTable | ra.Profile) -> ra.Profile:
    return data.rankings() if isinstance(data, ra.ScoreTable) else data


def _scores(rule: ra.Aggregator, data: Any) -> dict[Any, float]:
    consensus = rule.aggregate(data)
    return dict(zip(consensus.items, consensus.scores, strict=True))


def check_kemeny(data: Any, profile: ra.Profile, expected: list[str]) -> None:
    optimum = ra.Permutation.from_order(expected, items=profile.items)
    exact = ra.Kemeny().aggregate(data)
    assert profile.pairwise().exact_cost(optimum) == profile.pairwise().exact_cost(exact.ranking)


def check_kemeny_cost(data: Any, profile: ra.Profile, expected: float) -> None:
    exact = ra.Kemeny().aggregate(data)
    assert exact.cost == expected
    assert exact.certificate.status == "optimal"
    assert exact.certificate.verify(profile.pairwise())


def check_n_optima(data: Any, profile: ra.Profile, expected: int) -> None:
    wins, _, _ = oracles.pairwise_votes(profile)
    _, optima = oracles.kemeny(wins)
    assert len(optima) == expected


def check_borda(data: Any, profile: ra.Profile, expected: dict[str, float]) -> None:
    assert _scores(ra.Borda(), data) == pytest.approx(expected, abs=1e-9)


def check_borda_order(data: Any, profile: ra.Profile, expected: list[str]) -> None:
    assert ra.Borda().aggregate(data).order == tuple(expected)


def check_mean(data: Any, profile: ra.Profile, expected: list[Any]) -> None:
    buckets = tuple(tuple(b) if isinstance(b, list) else (b,) for b in expected)
    assert ra.Mean().aggregate(data).buckets == buckets


def check_geometric_mean(data: Any, profile: ra.Profile, expected: dict[str, float]) -> None:
    scores = _scores(ra.GeometricMean(), data)
    assert {name: scores[name] for name in expected} == pytest.approx(expected, abs=6e-4)


def check_harmonic_mean(data: Any, profile: ra.Profile, expected: dict[str, float]) -> None:
    scores = _scores(ra.HarmonicMean(), data)
    assert {name: scores[name] for name in expected} == pytest.approx(expected, abs=6e-4)


def check_condorcet_winner(data: Any, profile: ra.Profile, expected: str | None) -> None:
    margins = profile.pairwise().margins
    winners = [
        label
        for label, row in zip(profile.items, margins, strict=True)
        if (np.delete(row, profile.items.index(label)) > 0).all()
    ]
    assert winners == ([] if expected is None else [expected])


CHECKS: Checks = {
    name.removeprefix("check_"): check
    for name, check in globals().items()
    if name.startswith("check_")
}


@pytest.mark.parametrize("name", NAMES)
def test_known_answers_hold_and_info_states_source_and_kind(name: str) -> None:
    info, data = ra.datasets.info(name), ra.datasets.load(name)
    for key, expected in info.known.items():
        CHECKS[key](data, _profile(data), expected)
    assert info.source
    assert info.known
    kind = ra.ScoreTable if info.kind == "scores" else ra.Profile
    assert isinstance(data, kind)
    assert name in str(info)
    assert info.source in str(info)


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ra.exceptions.InvalidInputError, match="'tennessee'"):
        ra.datasets.load("tenessee")
