"""Studies: what rules and intervals do on many data sets that are drawn or resampled.

Names are loaded when they are first used (SPEC 1).
"""

from rankagg import _lazy

__getattr__, __dir__, __all__ = _lazy.attach(__name__, __file__)
