"""What tests read back from plots."""

from hypothesis import settings

from rankagg.testing.plots import below, of_group

# Each example is a picture.
drawn_quickly = settings(max_examples=5)


def notes(ax):
    """Return what stands below axes on one line."""
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
