from .decisions import Decisions as Decisions
from .dispersion import DispersionReport as DispersionReport
from .list_tests import RobustRankAggregation as RobustRankAggregation
from .list_tests import robust_rank_aggregation as robust_rank_aggregation
from .next_pairs import next_pairs as next_pairs
from .paired_results import PairedTest as PairedTest
from .paired_results import PairedTests as PairedTests
from .power import Separation as Separation
from .rank_tests import FriedmanTest as FriedmanTest
from .rank_tests import SkillingsMackTest as SkillingsMackTest
from .ranks.comparison_ranks import (
    comparison_rank_intervals as comparison_rank_intervals,
)
from .ranks.rank_results import RankIntervals as RankIntervals
from .ranks.rank_sets import rank_multinomial as rank_multinomial
from .ranks.rank_sets import rank_sets as rank_sets
from .ranks.worth_ranks import worth_rank_intervals as worth_rank_intervals
from .rater_agreement import KendallW as KendallW
from .rater_agreement import KrippendorffAlpha as KrippendorffAlpha
from .rater_agreement import kendall_w as kendall_w
from .rater_agreement import krippendorff_alpha as krippendorff_alpha
from .sampling import EmpiricalBernsteinStopping as EmpiricalBernsteinStopping
from .sampling import Estimate as Estimate
