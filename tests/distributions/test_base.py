"""The contract suite for every public distribution."""

from contextlib import suppress
from math import lgamma

import numpy as np
import pytest

import rankagg as ra
import tests.distributions.test_mixture  # noqa: F401 - it has a contract too
from rankagg import RankingDistribution
from rankagg.exceptions import InvalidInputError
from rankagg.testing.distributions import DistributionContract

WORTHS = {"D": 0.9, "B": -0.4, "A": 0.1, "C": 1.3}
FIVE = {"D": 0.9, "B": -0.4, "A": 0.1, "C": 1.3, "E": -2.0}


class TestStrictLaws(DistributionContract):
    distributions = (
        ra.distributions.Uniform("DBAC"),
        ra.Mallows("DBAC", theta=0.0),
        ra.Mallows("DBACE", theta=1e-9),
        ra.Mallows(ra.Permutation.from_ranks([2, 0, 4, 1, 3], items="DBACE"), theta=0.7),
        ra.Mallows(ra.Permutation.from_ranks([2, 0, 3, 1], items=[7, 3, 11, 5]), theta=5.0),
        ra.PlackettLuce(FIVE),
        ra.BradleyTerry(WORTHS),
    )


class TestLawsWithTies(DistributionContract):
    ties = True
    distributions = (
        ra.PlackettLuce(WORTHS, log_ties={2: -0.5}),
        ra.PlackettLuce(WORTHS, log_ties={2: 0.3, 3: -0.7}),
        ra.PlackettLuce(WORTHS, log_ties={3: 0.2}),
        ra.BradleyTerry(WORTHS, log_ties={2: 0.1}),
    )


class Sorted(RankingDistribution):
    """A distribution that knows nothing but its probabilities: what the base class makes of it."""

    def __init__(self, items, phi):
        self._set(items=ra.ItemSet(items), phi=phi)

    def _key(self):
        return self.items, self.phi

    def _log_probs(self, ranks):
        if (ranks < 0).any() or (np.sort(ranks, axis=1) != np.arange(self.n_items)).any():
            raise InvalidInputError("data", "complete strict rankings", ranks)
        first = ranks.argmin(axis=1)
        weights = self.phi ** np.arange(self.n_items)
        return np.log(weights[first] / weights.sum()) - lgamma(self.n_items)


class TestEnumerated(DistributionContract):
    distributions = (Sorted("CABD", 0.3), Sorted("CABDE", 0.8))


def test_more_items_than_can_be_enumerated_are_refused():
    law = Sorted(range(9), 0.5)
    for ask in (law.entropy, law.rank_probabilities, lambda: law.sample(1), lambda: law.mode):
        with pytest.raises(InvalidInputError, match="up to 8 for sums over all rankings"):
            ask()


def on(*names):
    """Return one distribution of each kind on these items."""
    return (
        ra.distributions.Uniform(names),
        ra.Mallows(names, theta=1.5),
        ra.PlackettLuce(dict(zip(names, range(len(names)), strict=True))),
    )


class TestTwoHostileNames(DistributionContract):
    distributions = on("<script>alert(1)</script>", "b & c")


class TestOneItem(DistributionContract):
    distributions = on("A")


def test_every_public_distribution_has_a_contract():
    tested = {
        type(law) for suite in DistributionContract.__subclasses__() for law in suite.distributions
    }
    public = {
        value
        for room in (ra, ra.distributions)
        for name in room.__all__
        if isinstance(value := getattr(room, name), type)
        and issubclass(value, ra.RankingDistribution)
    }
    assert public - {ra.RankingDistribution} == tested - {Sorted}


def test_tie_weights_are_read_only():
    law = ra.PlackettLuce(WORTHS, log_ties={2: -0.5})
    before = hash(law)
    with suppress(TypeError):
        law.log_ties[2] = 3.0
    assert hash(law) == before
