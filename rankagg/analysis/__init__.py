"""Looking at consensuses: side by side, and why they differ."""

from rankagg import _lazy

__getattr__, __dir__, __all__ = _lazy.attach(__name__, __file__)
