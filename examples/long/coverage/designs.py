"""Which methods are tried under which distribution with how many units."""

from cells import Cell
from distributions import DISTRIBUTIONS, Distribution

# Methods that are proved to hold are tried under few distributions, for their power.
PROVED = (
    ("borda", "hoeffding"),
    ("pairwise", "hoeffding"),
)
EXACT = (("mean", "sign-flips"), ("borda", "sign-flips"), ("pairwise", "sign-test"))
BOOTSTRAP = (("mean", "max-t"), ("borda", "max-t"), ("pairwise", "max-t"))
# Distributions under which the bootstrap of means and of majorities is tried too; with 200 units;
# with more.
HARD = {
    "mean": ("equal", "half skewed", "unequal weights"),
    "pairwise": ("equal", "many ties", "right or wrong"),
}
HARDEST = (
    "many ties", "variances .2 to 3", "task scales", "right or wrong", "unequal weights",
    "30 % missing",
)  # fmt: skip
LARGEST = ("variances .2 to 3", "task scales")


def sizes(distribution: Distribution, of: str, method: str) -> tuple[int, ...]:
    """Return with how many units a method is tried under a distribution; empty where it is not."""
    equal, spaced = distribution.name == "equal", distribution.name == "spaced"
    if (of, method) in PROVED:
        return (6, 12, 20, 50, 100, 200) if equal or spaced else ()
    if method == "max-t":
        return bootstrap_sizes(distribution, of)
    if method == "sign-test" and (distribution.is_weighted or distribution.unit != "ranking"):
        return ()
    # Exact tests of 12 units of 13 systems go through 2048 sign vectors of 78 pairs.
    few = (6, 9, 12, 20) if distribution.systems < 10 else (6, 9, 20)
    return (4, *few, 50) if equal or spaced or distribution.name == "half skewed" else few


def bootstrap_sizes(distribution: Distribution, of: str) -> tuple[int, ...]:
    """Return with how many units the bootstrap is tried; many units take long."""
    if distribution.name == "spaced":
        return (6, 12, 20, 50)
    if distribution.name not in HARD.get(of, (distribution.name,)):
        return ()
    if distribution.systems > 10:
        return (6, 12, 20, 50) if of == "borda" else ()
    if distribution.name == "equal":
        return (4, 6, 9, 12, 20, 50, 100, 200) + ((500,) if of != "mean" else ())
    many = (200,) if of != "borda" or distribution.name in HARDEST else ()
    return (9, 20, 100) + many + ((500, 1000) if distribution.name in LARGEST else ())


CELLS = (
    *(
        Cell(distribution, units, of, method)
        for of, method in (*EXACT, *BOOTSTRAP, *PROVED)
        for distribution in DISTRIBUTIONS
        for units in sizes(distribution, of, method)
    ),
    # What is not independent, taken to be so.
    *(
        Cell(distribution, units, "borda", method, unit="ranking")
        for distribution in DISTRIBUTIONS
        if distribution.unit != "ranking"
        for method in ("sign-flips", "max-t", "hoeffding")
        for units in (9, 20)
    ),
)
