"""Distances and agreement between two rankings of the same items.

Each pair of items that both rankings observe counts once. Two items that are both unlisted in one
ranking are not compared there and do not count.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
