"""Distributions over rankings, their fits, and the rules that rank by them."""

from rankagg import _lazy

__getattr__, __dir__, __all__ = _lazy.attach(__name__, __file__)
