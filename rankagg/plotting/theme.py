"""The style of all plots, for papers and slides, in color and in gray.

The colors of Okabe and Ito can be distinguished with any kind of color vision. Where color carries
meaning, a second mark (line style, marker or frame) carries it too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache, wraps
from inspect import cleandoc, signature
from itertools import chain, count
from typing import Any, Literal, TypeVar, cast, get_args

import matplotlib as mpl
from matplotlib import ft2font
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.font_manager import get_font_names

from rankagg._typing import Label
from rankagg._validation import check_choice, check_integer
from rankagg.core import isolated, shortened
from rankagg.exceptions import InvalidInputError

Context = Literal["paper", "slide"]
Plot = TypeVar("Plot", bound=Callable[..., Axes])

INK = "#222222"
GRAY = "#8c8c8c"
#: Color of grid lines.
GRID = "#e4e4e4"
PALE = "#bcd7ea"
#: Blue, vermilion, green, purple, orange, light blue, black.
ACCENTS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
LINES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 1)), (0, (7, 2)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
#: Printed as the rank of an unranked item.
NO_RANK = "\N{EN DASH}"
#: Shares from 0 to 1; lightness increases steadily, so that gray prints can be read.
SHARE_COLORS = LinearSegmentedColormap.from_list(
    "rankagg", ["#ffffff", "#bcd7ea", "#0072B2", "#00304d"]
)

#: Shares around one half: orange below, blue and darker above, which differ in gray prints.
DIVERGING = LinearSegmentedColormap.from_list(
    "rankagg-diverging", ["#c8670f", "#e9b27c", "#f4f3f0", "#7fb0db", "#0b4f94"]
)

FONTS_OF_SCRIPTS = [
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "WenQuanYi Zen Hei",
    "PingFang SC",
    "Microsoft YaHei",
    "Noto Sans Arabic",
    "Noto Sans Devanagari",
    "Arial Unicode MS",
]
#: Rows drawn by default, which fit on one page.
MOST_DRAWN = 40
TOP = f"""
top : int or None, default {MOST_DRAWN}
    Maximum number of rows, which the caption states if there are more; None draws all."""
WHERE = """
ax : matplotlib.axes.Axes, optional
    Axes to draw on; a new figure by default, as large as the plot needs.

Returns
-------
matplotlib.axes.Axes

"""


@cache
def _fonts() -> list[str]:
    """Return the default font and the installed fonts for other scripts."""
    known = set(get_font_names())
    return ["DejaVu Sans", *(name for name in FONTS_OF_SCRIPTS if name in known)]


@contextmanager
def style(context: Context = "paper") -> Iterator[None]:
    """Apply the style of rankagg in a `with` block.

    Parameters
    ----------
    context : {"paper", "slide"}, default "paper"
        Text of 8 points for a paper or of 16 points for a slide. New figures scale with the text,
        so both have the same layout.

    Yields
    ------
    None

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> comparison = ra.compare(ra.datasets.load("tennessee"))
    >>> with plotting.style("slide"):
    ...     ax = plotting.bump_chart(comparison)
    """
    times = 2 if check_choice(context, get_args(Context), "context") == "slide" else 1
    params: dict[Any, Any] = {
        "font.family": _fonts(),
        "font.size": 8 * times,
        "lines.linewidth": 1.2 * times,
        "lines.markersize": 4 * times,
        "axes.linewidth": 0.6 * times,
        **dict.fromkeys(("axes.spines.top", "axes.spines.right", "legend.frameon"), False),
        **dict.fromkeys(("axes.facecolor", "figure.facecolor"), "white"),
        **dict.fromkeys(("axes.edgecolor", "axes.labelcolor", "text.color"), INK),
        **dict.fromkeys(("xtick.color", "ytick.color"), INK),
        "axes.titlesize": "medium",
        "axes.titlelocation": "left",
        "savefig.dpi": 300,
        "pdf.fonttype": 42,
    }
    with mpl.rc_context(params):
        yield


def plot_of(kind: Any = object, maker: str = "", allowed: str = "") -> Callable[[Plot], Plot]:
    """Check the first argument and `top` of a plot, and document the common parameters."""
    allowed = allowed or f"of class {kind.__name__}"

    def decorated(plot: Plot) -> Plot:
        parameters = signature(plot).parameters
        first = next(iter(parameters))

        @wraps(plot)
        def checked(*args: Any, **options: Any) -> Axes:
            value = args[0] if args else options.get(first)
            if options.keys() <= parameters.keys() and not isinstance(value, kind):
                raise InvalidInputError(first, allowed, value, f"Use `{maker}`.")
            if options.get("top") is not None:
                check_integer(options["top"], "top", low=1)
            return plot(*args, **options)

        sections = r"\n\n(?=(Raises|References|Examples)\n-)"
        where = TOP * ("top" in parameters) + WHERE
        checked.__doc__ = re.sub(sections, where, cleandoc(plot.__doc__ or ""), count=1)
        return cast(Plot, checked)

    return decorated


def letter(factor: float = 1.0) -> float:
    """Return a multiple of the font size, in points."""
    return factor * float(mpl.rcParams["font.size"])


def stroke(factor: float = 1.0) -> float:
    """Return a multiple of the line width, in points."""
    return factor * float(mpl.rcParams["lines.linewidth"])


def dot(factor: float = 1.0) -> float:
    """Return a multiple of the marker size, in points."""
    return factor * float(mpl.rcParams["lines.markersize"])


def method_look(number: int) -> dict[str, Any]:
    """Return the color, line style, marker and marker face of the method with a number."""
    look, turn = number % len(ACCENTS), number // len(ACCENTS) % 3
    face = (ACCENTS[look], "white", GRAY)[turn]
    return {"color": ACCENTS[look], "ls": LINES[look], "marker": MARKERS[look], "mfc": face}


def plot_labels(labels: Iterable[Label], width: int = 32) -> list[str]:
    """Return labels on one line, shortened in the middle to `width` characters, all different."""
    texts = []
    for label in labels:
        text = shortened(" ".join(str(label).split()) or "(no name)", width)
        # Earlier versions of Matplotlib do not reorder, and draw the signs as boxes.
        text = isolated(text) if hasattr(ft2font, "__libraqm_version__") else text
        others = (f"{text} ({number})" for number in count(2))
        texts.append(next(unique for unique in chain([text], others) if unique not in texts))
    return texts
