"""What tests read back from plots."""

from hypothesis import settings

from rankagg.plotting.sheet import CAPTION_MARK
from rankagg.testing.plots import _beyond, _faults, _overlaps, _texts

faults = _faults

# Each example is a picture.
drawn_quickly = settings(max_examples=5)


def of_group(ax, gid):
    """Return the artists with a group id, in the order drawn."""
    return [artist for artist in ax.get_children() if artist.get_gid() == gid]


def caption_of(ax):
    """Return the caption below axes, empty where there is none."""
    return next((text.get_text() for text in ax.texts if text.get_gid() == CAPTION_MARK), "")


def below(ax):
    """Return the quantity along the axis, and the caption, line by line."""
    return "\n".join(filter(None, (ax.get_xlabel(), caption_of(ax))))


def collisions(ax):
    """Return the pairs of texts that overlap."""
    return _overlaps(_texts(ax))


def cut_off(ax):
    """Return the texts that reach beyond the figure."""
    return _beyond(_texts(ax), ax.figure.canvas.get_width_height())


def notes(ax):
    """Return the text below axes on one line."""
    return " ".join(below(ax).split())


def legend_words(ax):
    """Return the words of a legend."""
    return [text.get_text().replace("\N{NO-BREAK SPACE}", " ") for text in ax.get_legend().texts]


def row_labels(ax):
    """Return the names of rows."""
    return [text.get_text() for text in ax.get_yticklabels()]


def column_labels(ax):
    """Return the names of columns."""
    return [text.get_text() for text in ax.get_xticklabels()]


def one(ax, gid):
    """Return the only artist of a group."""
    (artist,) = of_group(ax, gid)
    return artist


def headings(ax):
    """Return the headings of panels or rows."""
    return [text.get_text() for text in of_group(ax, "heading")]


def cells_of(patches):
    """Return the rows and columns of the cells that patches fill."""
    return {(round(patch.get_y() + 0.47), round(patch.get_x() + 0.47)) for patch in patches}
