"""Rank aggregation: classical rules, the exact Kemeny consensus and its proof.

Names are loaded when they are first used (SPEC 1), so `import rankagg` is cheap.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
__version__ = "0.2.0"
