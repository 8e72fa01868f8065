from .average_ranks import (
    critical_difference_diagram as critical_difference_diagram,
)
from .compared_methods import bump_chart as bump_chart
from .compared_methods import overlap_plot as overlap_plot
from .fits import distances_plot as distances_plot
from .fits import fit_plot as fit_plot
from .fits import parameters_plot as parameters_plot
from .fits import thetas_plot as thetas_plot
from .fits import worths_plot as worths_plot
from .heatmaps import pairwise_heatmap as pairwise_heatmap
from .heatmaps import rank_distribution_plot as rank_distribution_plot
from .interval_rows import effects_plot as effects_plot
from .interval_rows import forest_plot as forest_plot
from .interval_rows import intervals_heatmap as intervals_heatmap
from .interval_rows import separation_plot as separation_plot
from .missing_cells import missingness_map as missingness_map
from .optimum_ratios import ratio_plot as ratio_plot
from .permutohedra import permutohedron_plot as permutohedron_plot
from .study_curves import agreement_plot as agreement_plot
from .study_curves import cycle_plot as cycle_plot
from .study_curves import missing_scores_plot as missing_scores_plot
from .study_curves import task_agreement_plot as task_agreement_plot
from .study_curves import task_subset_plot as task_subset_plot
from .study_panels import confidence_heatmap as confidence_heatmap
from .study_panels import confidence_plot as confidence_plot
from .study_panels import manipulation_plot as manipulation_plot
from .study_panels import scaling_plot as scaling_plot
from .subset_robustness import robustness_plot as robustness_plot
from .theme import style as style
from .tournaments import tournament_plot as tournament_plot
