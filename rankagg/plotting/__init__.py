"""Pictures of rankings and of what is known about them.

Every function takes `ax=`, draws on it or on a new figure, and returns the axes; none shows or
saves anything. `style` sets letters and lines for a paper or a slide.
"""

from rankagg.plotting.bump import bump_chart
from rankagg.plotting.critical_difference import critical_difference_diagram
from rankagg.plotting.distances_to_center import distances_plot
from rankagg.plotting.fit import fit_plot, parameters_plot
from rankagg.plotting.forest import forest_plot
from rankagg.plotting.heatmap import pairwise_heatmap
from rankagg.plotting.intervals import intervals_heatmap
from rankagg.plotting.missingness import missingness_map
from rankagg.plotting.overlap import overlap_plot
from rankagg.plotting.rank_distribution import rank_distribution_plot
from rankagg.plotting.ratios import ratio_plot
from rankagg.plotting.robustness import robustness_plot
from rankagg.plotting.style import style
from rankagg.plotting.thetas import thetas_plot
from rankagg.plotting.tournament import tournament_plot
from rankagg.plotting.worths import worths_plot

__all__ = [
    "bump_chart",
    "critical_difference_diagram",
    "distances_plot",
    "fit_plot",
    "forest_plot",
    "intervals_heatmap",
    "missingness_map",
    "overlap_plot",
    "pairwise_heatmap",
    "parameters_plot",
    "rank_distribution_plot",
    "ratio_plot",
    "robustness_plot",
    "style",
    "thetas_plot",
    "tournament_plot",
    "worths_plot",
]
