from .distributions.fit import distances_plot as distances_plot
from .distributions.fit import fit_plot as fit_plot
from .distributions.fit import parameters_plot as parameters_plot
from .distributions.fit import thetas_plot as thetas_plot
from .distributions.fit import worths_plot as worths_plot
from .inference.critical_difference import (
    critical_difference_diagram as critical_difference_diagram,
)
from .inference.effects import effects_plot as effects_plot
from .inference.intervals import forest_plot as forest_plot
from .inference.intervals import intervals_heatmap as intervals_heatmap
from .inference.separation import separation_plot as separation_plot
from .rankings.bump import bump_chart as bump_chart
from .rankings.overlap import overlap_plot as overlap_plot
from .rankings.permutohedron import permutohedron_plot as permutohedron_plot
from .rankings.rank_distribution import rank_distribution_plot as rank_distribution_plot
from .robustness.agreement import agreement_plot as agreement_plot
from .robustness.agreement import task_agreement_plot as task_agreement_plot
from .robustness.confidence import confidence_heatmap as confidence_heatmap
from .robustness.confidence import confidence_plot as confidence_plot
from .robustness.corruption import manipulation_plot as manipulation_plot
from .robustness.corruption import scaling_plot as scaling_plot
from .robustness.cycles import cycle_plot as cycle_plot
from .robustness.missing_scores import missing_scores_plot as missing_scores_plot
from .robustness.missing_scores import task_subset_plot as task_subset_plot
from .robustness.ratios import ratio_plot as ratio_plot
from .robustness.robustness import robustness_plot as robustness_plot
from .style.theme import style as style
from .votes.heatmap import pairwise_heatmap as pairwise_heatmap
from .votes.missingness import missingness_map as missingness_map
from .votes.tournament import tournament_plot as tournament_plot
