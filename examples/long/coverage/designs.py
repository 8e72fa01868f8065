"""Which methods are tried under which law with how many units."""

from cells import Cell
from laws import LAWS, Law

# Methods that are proved to hold are tried under few laws, for their power.
PROVED = (
    ("borda", "hoeffding"),
    ("borda", "bernstein"),
    ("pairwise", "hoeffding"),
    ("pairwise", "clopper-pearson"),
)
EXACT = (("mean", "sign-flips"), ("borda", "sign-flips"), ("pairwise", "sign-test"))
BOOTSTRAP = (("mean", "max-t"), ("borda", "max-t"), ("pairwise", "max-t"))
# Laws under which the bootstrap of means and of majorities is tried too; with 200 units; with more.
HARD = {
    "mean": ("equal", "half skewed", "unequal weights"),
    "pairwise": ("equal", "many ties", "right or wrong"),
}
HARDEST = (
    "many ties", "variances .2 to 3", "task scales", "right or wrong", "unequal weights",
    "30 % missing",
)  # fmt: skip
LARGEST = ("variances .2 to 3", "task scales")


def sizes(law: Law, of: str, method: str) -> tuple[int, ...]:
    """Return with how many units a method is tried under a law; empty where it is not."""
    equal, spaced = law.name == "equal", law.name == "spaced"
    if (of, method) in PROVED:
        return (6, 12, 20, 50, 100, 200) if equal or spaced else ()
    if method == "max-t":
        return bootstrap_sizes(law, of)
    if method == "sign-test" and (law.is_weighted or law.unit != "ranking"):
        return ()
    # Exact tests of 12 units of 13 systems go through 2048 sign vectors of 78 pairs.
    few = (6, 9, 12, 20) if law.systems < 10 else (6, 9, 20)
    return (4, *few, 50) if equal or spaced or law.name == "half skewed" else few


def bootstrap_sizes(law: Law, of: str) -> tuple[int, ...]:
    """Return with how many units the bootstrap is tried; many units take long."""
    if law.name == "spaced":
        return (6, 12, 20, 50)
    if law.name not in HARD.get(of, (law.name,)):
        return ()
    if law.systems > 10:
        return (6, 12, 20, 50) if of == "borda" else ()
    if law.name == "equal":
        return (4, 6, 9, 12, 20, 50, 100, 200) + ((500,) if of != "mean" else ())
    many = (200,) if of != "borda" or law.name in HARDEST else ()
    return (9, 20, 100) + many + ((500, 1000) if law.name in LARGEST else ())


CELLS = (
    *(
        Cell(law, units, of, method)
        for of, method in (*EXACT, *BOOTSTRAP, *PROVED)
        for law in LAWS
        for units in sizes(law, of, method)
    ),
    *(
        Cell(law, units, "mean", method)
        for law in LAWS
        if law.score_range
        for method in ("hoeffding", "bernstein")
        for units in (6, 20, 100)
    ),
    # What is not independent, taken to be so.
    *(
        Cell(law, units, "borda", method, unit="ranking")
        for law in LAWS
        if law.unit != "ranking"
        for method in ("sign-flips", "max-t", "hoeffding")
        for units in (9, 20)
    ),
)
