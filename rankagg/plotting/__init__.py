"""Pictures of rankings and of what is known about them.

Every function takes `ax=`, draws on it or on a new figure, and returns the axes; none shows or
saves anything. `style` sets letters and lines for a paper or a slide.
"""

from rankagg.plotting.bump import bump_chart
from rankagg.plotting.heatmap import pairwise_heatmap
from rankagg.plotting.style import style

__all__ = ["bump_chart", "pairwise_heatmap", "style"]
