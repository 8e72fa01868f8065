"""Distances and agreement between two rankings of the same items.

Pairs are counted once, and over the items that both rankings observe; two items that are both
unlisted in one of them were not compared there and do not count.
"""

from rankagg import _lazy

__getattr__, __dir__, __all__ = _lazy.attach(__name__, __file__)
