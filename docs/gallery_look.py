"""How examples of the gallery are run: sharp pictures, and warnings are errors."""

import warnings

import matplotlib as mpl

kept = []


def set_look(gallery_conf, example, when):
    """Set the resolution and the filter of warnings before an example, and undo it after it."""
    if when == "before":
        kept.append(warnings.filters[:])
        warnings.simplefilter("error")
        mpl.rcParams["savefig.dpi"] = 150
    elif kept:
        warnings.filters[:] = kept.pop()
