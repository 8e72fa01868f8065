"""Plots of data, rankings and results.

Each function draws on the axes `ax` or on a new figure, and returns the axes; none shows or saves
the figure. `style` sets fonts and lines for a paper or a slide.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
