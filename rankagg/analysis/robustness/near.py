"""What the exact consensus of data teaches about those of their parts and variants."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Ranks
from rankagg.aggregation.base import Aggregator
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.evidence import Evidence
from rankagg.aggregation.kemeny.aggregator import Kemeny
from rankagg.aggregation.kemeny.proofs.certificate import Certificate
from rankagg.aggregation.kemeny.search.warm import Warm
from rankagg.aggregation.result import Consensus
from rankagg.core.items import ItemSet

__all__ = ["Near"]


@dataclass(frozen=True, eq=False)
class Near:
    """What helps an exact rule with related data, once the consensus of all is known.

    Attributes
    ----------
    rule : Kemeny
        A rule that can use it.
    ranks : ndarray of int, shape (n,)
        The consensus of all units.
    warm : Warm
        What its proof used, and those of related data that were solved since.
    """

    rule: Kemeny
    ranks: Ranks
    warm: Warm

    @classmethod
    def of(cls, rule: Aggregator, whole: Consensus, items: ItemSet) -> Near | None:
        """Return what the consensus of all teaches; None where the rule cannot use it."""
        proof = whole.certificate
        if not (isinstance(rule, Kemeny) and rule.can_be_warm and isinstance(proof, Certificate)):
            return None
        warm = Warm.of(len(proof.items), proof.proofs)
        return cls(rule, whole.ranking.reindex(items).ranks, warm)

    def fork(self) -> Near:
        """Return the same, to learn for itself."""
        return replace(self, warm=self.warm.fork())

    def consensus(
        self, evidence: Evidence, inside: NDArray[np.intp], deadline: Deadline
    ) -> Consensus:
        """Aggregate related data, whose systems are those at some positions."""
        policy = evidence.policy(self.rule.unranked)
        outcome = self.rule.solve(
            evidence.votes(policy), start=np.argsort(self.ranks[inside]), deadline=deadline,
            warm=self.warm.within(inside),
        )  # fmt: skip
        assert outcome.ranking is not None, "the rule returns a ranking"
        return Consensus(
            ranking=outcome.ranking,
            scores=None,
            aggregator=self.rule,
            unranked=policy,
            certificate=outcome.certificate,
            _optima=outcome.optima,
            notes=outcome.notes,
            interrupted=outcome.interrupted,
            runtime=0.0,
            _evidence=evidence,
        )
