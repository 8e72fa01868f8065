from .decisions import Decisions as Decisions
from .dispersion import DispersionReport as DispersionReport
from .dispersion import dispersion_report as dispersion_report
from .dispersion import spread as spread
from .list_tests import RobustRankAggregation as RobustRankAggregation
from .list_tests import robust_rank_aggregation as robust_rank_aggregation
from .pair_bounds import comparisons_needed as comparisons_needed
from .paired_test import PairedTest as PairedTest
from .paired_test import PairedTests as PairedTests
from .paired_test import paired_tests as paired_tests
from .pairwise_test import PairwiseTests as PairwiseTests
from .pairwise_test import pairwise_tests as pairwise_tests
from .power import Separation as Separation
from .power import separation as separation
from .power import units_needed as units_needed
from .rank_tests import FriedmanTest as FriedmanTest
from .rank_tests import SkillingsMackTest as SkillingsMackTest
from .rank_tests import friedman as friedman
from .rank_tests import skillings_mack as skillings_mack
from .ranks.comparison_ranks import (
    comparison_rank_intervals as comparison_rank_intervals,
)
from .ranks.new_task import NewTaskRanks as NewTaskRanks
from .ranks.new_task import new_task_ranks as new_task_ranks
from .ranks.rank_results import RankIntervals as RankIntervals
from .ranks.rank_sets import rank_sets as rank_sets
from .rater_agreement import KrippendorffAlpha as KrippendorffAlpha
from .rater_agreement import krippendorff_alpha as krippendorff_alpha
from .sampling import Estimate as Estimate
from .sampling import HoeffdingEstimator as HoeffdingEstimator
