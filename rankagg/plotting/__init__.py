"""Pictures of rankings and of what is known about them.

Every function takes `ax=`, draws on it or on a new figure, and returns the axes; none shows or
saves anything. `style` sets letters and lines for a paper or a slide.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
