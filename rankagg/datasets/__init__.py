"""Small data sets from papers and textbooks, each with its source and a known answer."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
