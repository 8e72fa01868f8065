"""Steps of rules, worked out as by hand.

Names are loaded when they are first used (SPEC 1).
"""

from rankagg import _lazy

__getattr__, __dir__, __all__ = _lazy.attach(__name__, __file__)
