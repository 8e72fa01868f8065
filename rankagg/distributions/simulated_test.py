"""The result of a test whose statistic is simulated."""

from __future__ import annotations

from typing import Any

import pandas as pd

from rankagg._typing import Floats
from rankagg.core import Result, counted, p_text


class SimulatedTest(Result):
    """A test by samples that were drawn where its hypothesis is true.

    Made by `MallowsFit.test_uniform` and `MixtureFit.test_more_components`; it has no plot.

    Attributes
    ----------
    hypothesis : str
        What is tested.
    measure : str
        What the statistic measures.
    statistic : float
        Of the rankings.
    expected : float
        The mean of the samples.
    p_value : float
        Share of samples (the rankings among them) whose statistic is as extreme.
    n_resamples : int
        Simulated samples.
    """

    hypothesis: str
    measure: str
    statistic: float
    expected: float
    p_value: float
    n_resamples: int

    _schema = "rankagg.simulated_test"
    _prints_table = False

    def to_frame(self) -> pd.DataFrame:
        """Return one row with the attributes as columns."""
        return pd.DataFrame([self._content()])

    def _content(self) -> dict[str, Any]:
        return self._plain(
            "hypothesis", "measure", "statistic", "expected", "p_value", "n_resamples"
        )

    def _facts(self) -> list[str]:
        samples = counted(self.n_resamples, "simulated sample")
        return [
            f"{self.measure}: {self.statistic:.4g}, p {p_text(self.p_value)}",
            f"expected if {self.hypothesis}: {self.expected:.4g}, from {samples}",
        ]


def simulated_test(
    hypothesis: str, measure: str, statistic: float, drawn: Floats, n_extreme: int
) -> SimulatedTest:
    """Return the test of a statistic that so many of the drawn ones are as extreme as."""
    return SimulatedTest(
        hypothesis=hypothesis,
        measure=measure,
        statistic=statistic,
        expected=float(drawn.mean()),
        p_value=(1 + n_extreme) / (1 + len(drawn)),
        n_resamples=len(drawn),
    )
