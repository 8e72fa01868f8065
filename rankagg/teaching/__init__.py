"""Steps of rules, as worked out by hand.

Names are loaded when they are first used (SPEC 1).
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
