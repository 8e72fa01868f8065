"""Pictures of rankings and of what is known about them.

Every function takes `ax=`, draws on it or on a new figure, and returns the axes; none shows or
saves anything. `style` sets letters and lines for a paper or a slide.
"""

from rankagg import _lazy

__getattr__, __dir__, __all__ = _lazy.attach(__name__, __file__)
