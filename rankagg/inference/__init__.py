"""How certain results are: units, intervals, decisions, ranks, tests, dispersion."""

from rankagg import _lazy

__getattr__, __dir__, __all__ = _lazy.attach(__name__, __file__)
