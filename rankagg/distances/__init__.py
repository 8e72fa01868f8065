"""Distances and agreement between two rankings of the same items.

Pairs are counted once, and over the items that both rankings observe; two items that are both
unlisted in one of them were not compared there and do not count.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
