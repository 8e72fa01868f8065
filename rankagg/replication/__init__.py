"""The experiments of the three papers, run again and held beside what is printed."""

from rankagg import _lazy

__getattr__, __dir__, __all__ = _lazy.attach(__name__, __file__)
