"""Reading and writing scores, ballots, votes and evaluations.

Names are loaded when they are first used (SPEC 1); what people read most is at the top level.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
