"""How sure one may be of pairs, places and the whole."""

from rankagg.inference.bounds import (
    anytime_delta,
    bernstein_radius,
    comparisons_needed,
    hoeffding_p_value,
    hoeffding_radius,
)
from rankagg.inference.decisions import Decisions
from rankagg.inference.dispersion import dispersion, spread
from rankagg.inference.dispersion_report import DispersionReport, dispersion_report
from rankagg.inference.friedman_test import FriedmanTest
from rankagg.inference.intervals import PairwiseIntervals
from rankagg.inference.missing import MissingReport, missing_report
from rankagg.inference.ranks import RankIntervals, rank_intervals
from rankagg.inference.sampling import EmpiricalBernsteinStopping, Estimate, HoeffdingEstimator
from rankagg.inference.sensitivity import Sensitivity, sensitivity
from rankagg.inference.shares import RankShares, rank_shares
from rankagg.inference.significance import friedman
from rankagg.inference.u_statistics import UStatistic, distance_to, mean_distance

__all__ = [
    "Decisions",
    "DispersionReport",
    "EmpiricalBernsteinStopping",
    "Estimate",
    "FriedmanTest",
    "HoeffdingEstimator",
    "MissingReport",
    "PairwiseIntervals",
    "RankIntervals",
    "RankShares",
    "Sensitivity",
    "UStatistic",
    "anytime_delta",
    "bernstein_radius",
    "comparisons_needed",
    "dispersion",
    "dispersion_report",
    "distance_to",
    "friedman",
    "hoeffding_p_value",
    "hoeffding_radius",
    "mean_distance",
    "missing_report",
    "rank_intervals",
    "rank_shares",
    "sensitivity",
    "spread",
]
