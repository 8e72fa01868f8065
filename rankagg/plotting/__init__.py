"""Pictures of rankings and of what is known about them.

Every function takes `ax=`, draws on it or on a new figure, and returns the axes; none shows or
saves anything. `style` sets letters and lines for a paper or a slide.
"""

import sys as _sys
from types import ModuleType as _ModuleType

from rankagg import _lazy


class _Plotting(_ModuleType):
    """Keeps `style` the function when the folder of the same name is imported.

    The import system sets a package's attribute to each part of it that it loads; lazy_loader
    guards names against that from 0.6 on only.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if name != "style" or not isinstance(value, _ModuleType):
            super().__setattr__(name, value)


_sys.modules[__name__].__class__ = _Plotting
__getattr__, __dir__, __all__ = _lazy.attach(__name__, __file__)
