"""Rank aggregation: classical rules, the exact Kemeny consensus and its proof.

Names are loaded when they are first used (SPEC 1), so `import rankagg` is cheap.
"""

import lazy_loader

__version__ = "1.0.0.dev0"  # before the names: SPEC 1 lets users load them all at once
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
