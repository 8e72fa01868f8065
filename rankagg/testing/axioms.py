"""What every axiom promises."""

from __future__ import annotations

import pickle
from typing import ClassVar

import pytest

import rankagg as ra
from rankagg.axioms import Axiom, Witness, find_counterexample

__all__ = ["AxiomContract"]


class AxiomContract:
    """Tests of what an axiom says of itself, and of the profiles that break it.

    Subclass it and set `axiom`, a rule that breaks it and one that keeps it, both on profiles of
    `n_items` items and `n_rankings` rankings at most.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg.testing.axioms import AxiomContract
    >>> class TestMajority(AxiomContract):
    ...     axiom = ra.axioms.Majority()
    ...     broken_by, kept_by = ra.Borda(), ra.Plurality()
    """

    axiom: ClassVar[Axiom]
    broken_by: ClassVar[ra.Aggregator]
    kept_by: ClassVar[ra.Aggregator]
    n_items: ClassVar[int] = 3
    n_rankings: ClassVar[int] = 4

    def _found(self, rule: ra.Aggregator) -> Witness | None:
        return find_counterexample(
            rule, self.axiom, n_items=self.n_items, n_rankings=self.n_rankings
        )

    @pytest.fixture
    def witness(self) -> Witness:
        """Find the smallest profile on which the rule breaks the axiom."""
        found = self._found(self.broken_by)
        assert found is not None
        return found

    def test_it_says_what_it_is(self) -> None:
        assert self.axiom.name == self.axiom.name.lower()
        assert self.axiom.definition.endswith(".")
        assert self.axiom.source

    def test_it_is_a_value(self) -> None:
        assert pickle.loads(pickle.dumps(self.axiom)) == self.axiom
        with pytest.raises(AttributeError):
            self.axiom.anything = 1  # type: ignore[attr-defined]

    def test_what_is_found_verifies_and_is_told(self, witness: Witness) -> None:
        assert witness.verify()
        assert witness.sentence.endswith(".")

    def test_names_of_items_do_not_matter(self, witness: Witness) -> None:
        profile = witness.profiles[0]
        others = dict(zip(profile.items, reversed(list(profile.items)), strict=True))
        orders = [[others[item] for item in ranking.order] for ranking in profile]
        renamed = ra.Profile.from_orders(orders, items=profile.items, counts=profile.counts)
        assert self.axiom.check(self.broken_by, renamed) is not None

    def test_a_rule_that_keeps_it_has_no_witness(self) -> None:
        assert self._found(self.kept_by) is None
