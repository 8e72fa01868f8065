"""How often rules elect an item that loses to every other."""

from collections.abc import Sequence
from dataclasses import dataclass

import rankagg as ra
from rankagg.studies.measures import Cell, Curve, Measures
from rankagg.studies.study import Study


@dataclass(frozen=True)
class Drawn(Cell):
    """One profile: where it is from, and its number among its like."""

    model: ra.cultures.DataSource
    repetition: int


@dataclass(frozen=True, kw_only=True)
class LoserStudy(Study):
    """How often rules elect a Condorcet loser, of four items and nine rankings."""

    _cell = Drawn
    _fields = {"method": "str", "elected": "bool"}
    _measures = Measures(
        shares={"elected": "elected"},
        printed=("elected",),
        curves={
            "elected": Curve(
                "share with a Condorcet loser in front", ends=("elected_low", "elected_high")
            )
        },
    )

    data: object
    rules: Sequence
    n_repetitions: int = 20
    rng: object = None

    def _try(self, cell, prepared):
        profile = cell.model.sample(4, 9, rng=cell.generator(self.rng, "data"))
        loser = ra.TournamentGraph(profile).condorcet_loser
        won = {rule.name: rule.aggregate(profile).buckets[0] for rule in self.rules}
        return [{"method": name, "elected": loser in first} for name, first in won.items()]
