"""Every number of the page on what the papers conclude, from what two programs wrote."""

from pathlib import Path

import numpy as np
import pandas as pd

ROOT = Path(__file__).parents[3]
LONG = ROOT / "examples" / "long"
FOUND = pd.read_csv(LONG / "papers.csv", dtype={"case": str}).fillna({"case": ""})
REMOVAL = pd.read_csv(LONG / "removal.csv")
PRINTED = pd.read_csv(ROOT / "docs" / "replication" / "replication.csv", dtype=str).fillna("")
BOARDS = ["XTREME", "SuperGLUE", "GLUE", "GEM"]
FEW = ["XTREME", "SuperGLUE", "GLUE, first 40", "GEM"]
INSTANCES = ["dialog_pc", "dialog_tc", "flickr", "sum_eval"]
LOUD, BOTH = "rescaled, factor = 10", "rescaled, after reversed, factor = 10"
PLAIN, LOW = "completely at random", "low scores first, strength = 5"
HOLM = "hoeffding, holm, by instance"
STEPS = ("0.05", "0.1", "0.3")
PAIRS = ("one level and two levels", "mean and one level", "mean and two levels")
KEMENY = {"mean": "Mean", "Borda": "Borda, uniform", "exact": "Kemeny(time_limit=10), uniform"}


# -- numbers of the program ------------------------------------------------------------------------


def row(part, table, method, case=None, x=None):
    """Return the one row of the program that is meant."""
    rows = FOUND[(FOUND["part"] == part) & (FOUND["table"] == table) & (FOUND["method"] == method)]
    rows = rows if case is None else rows[rows["case"] == case]
    rows = rows if x is None else rows[np.isclose(rows["x"], x)]
    assert len(rows) == 1, (part, table, method, case, x)
    return rows.iloc[0]


def found(*which):
    return row(*which)["value"]


def found_x(*which):
    return row(*which)["x"]


def curves(part, table, case=""):
    """Return a column for each rule."""
    rows = FOUND[(FOUND["part"] == part) & (FOUND["table"] == table) & (FOUND["case"] == case)]
    return rows.pivot(index="x", columns="method", values="value")


def d(value, digits=2):
    return f"{value:.{digits}f}"


def n(value):
    assert value == int(value)
    return str(int(value))


def pc(value):
    return f"{100 * value:.0f}"


def signed(value):
    # Without a minus before zero.
    return d(round(value, 2) + 0).replace("-", "\N{MINUS SIGN}")


def listed(values):
    *some, last = values
    return f"{', '.join(some)} and {last}"


def ratio(table, method="Borda"):
    return found("cost", table, method)


def first(table):
    return found("may be first", table, "Borda")


def size(table):
    return found_x("may be first", table, "Borda")


def err(table, method, case="reversed"):
    return d(found("corruption", table, method, case, 1))


def steadier(table):
    """Return with how many numbers of reversed tasks Borda's order moves less than the mean's."""
    moved = curves("corruption", table, "reversed").loc[1:]
    return f"{(moved['Borda'] < moved['mean']).sum()} of {len(moved)}"


def tau(table, one="mean", two="Borda"):
    return d(found("agreement", table, two, one))


def lost_here(method):
    tables = (f"Gumbel scores, step = {step}" for step in STEPS)
    return listed([n(found("lost", table, method)) for table in tables])


def most_behind():
    """Return by how much the exact rule errs more than Borda, at most, before it is lost."""
    errors = (curves("corruption", f"Gumbel scores, step = {s}", "adversarial") for s in STEPS)
    return max((e["exact"] - e["Borda"])[e["exact"] <= 0.75].max() for e in errors)


def ahead(table, method, over="mean"):
    taus = curves("subsets", table)
    return f"{(taus[method] > taus[over]).sum()} of {len(taus)}"


def behind_borda():
    counts = [ahead(table, "Borda", "exact").split(" of ") for table in FEW]
    return " of ".join(str(sum(map(int, column))) for column in zip(*counts, strict=True))


def most_sizes_here(method):
    counts = (ahead(table, method).split(" of ") for table in INSTANCES)
    return sum(2 * int(k) > int(sizes) for k, sizes in counts)


def firsts(table):
    rows = FOUND[(FOUND["part"] == "cost") & (FOUND["table"] == table)]
    return dict(zip(rows["method"], rows["case"], strict=True))


def same_first():
    rules = ("Borda", "Borda, two levels", "exact", "exact, two levels")
    return sum(len({firsts(table)[rule] for rule in rules}) == 1 for table in INSTANCES)


def means(table, case):
    """Return mean tau of each rule over all proportions that go missing."""
    if table in ("XTREME", "SuperGLUE", "GLUE"):
        rows = REMOVAL[(REMOVAL["model"] == table) & (REMOVAL["removal"] == case)]
        by = rows.groupby("method")["mean_tau"].mean()
        return pd.Series({name: by[label] for name, label in KEMENY.items()})
    # All rules at the same proportions: those where each has a tau.
    return curves("missing", table, case).dropna().mean()


def lead(table, method, case):
    return signed(means(table, case)[method] - means(table, case)["mean"])


def wins(one, other, case):
    return sum(means(table, case)[one] > means(table, case)[other] for table in INSTANCES)


def least_tau(method):
    borda = method.replace("exact", "Borda")
    return d(min(found("agreement", table, method, borda) for table in INSTANCES))


def pc_range(method):
    shares = [found("decided", table, method) for table in INSTANCES]
    return f"{pc(min(shares))} to {pc(max(shares))}"


def human(table, tasks, method):
    return n(found("humans", table, method, f"{tasks} tasks"))


def model(table, tasks, method):
    return d(-found("behind", table, method, f"{tasks} tasks"), 1)


def other(table, tasks, method):
    return d(found("agreement", table, method, f"mean, {tasks} tasks"))


# -- numbers of the replication --------------------------------------------------------------------


def cell(paper, item, quantity, column="definition"):
    rows = PRINTED[(PRINTED["paper"] == paper) & (PRINTED["item"] == item)]
    (value,) = rows[rows["quantity"] == quantity][column]
    return value


def pr(paper, item, quantity, column="definition", digits=2):
    return d(float(cell(paper, item, quantity, column)), digits)


def lost_at(which):
    """Return with how many corrupted tasks a rule is lost, for each step."""
    name = "corrupted tasks for an error above .75, {}, phi = {}"
    return listed([cell("P1", "Section 4.2", name.format(which, step)) for step in STEPS])


def least_errors():
    return cell("P1", "Figure 3", "two levels err least, phi = 0.3").removeprefix("for ")


def sizes_printed(table):
    names = ("sizes of subsets at which Borda is nearer", "sizes of subsets")
    return " of ".join(cell("P1", "Figure 8", f"{name}, {table}", "here") for name in names)


def most_sizes(which):
    """Return on how many data sets a procedure is ahead at most sizes of subsets."""
    rows = PRINTED[PRINTED["quantity"].str.startswith(f"correlation of {which} against the mean's")]
    counts = rows[rows["item"] == "Figure 9"]["definition"].str.extract(r"(\d+) of (\d+)")
    assert len(counts) == 9
    # Without numbers it is higher at all.
    ahead_at, sizes = (counts[k].fillna("1").astype(int) for k in (0, 1))
    return (2 * ahead_at > sizes).sum()


def lead_printed(table, column):
    one, mean = (
        float(cell("P2", "Figure 2", f"tau with the full data, {rule}, {table}", column))
        for rule in ("one level", "mean")
    )
    return signed(one - mean)


def table_1(table, column):
    return pr("P2", "Table 1", f"tau of one level and the mean, {table}", column)


def table_3(pair, column):
    suffix = ", 34 data sets" if column == "authors" else ""
    return pr("P2", "Table 3", f"tau, {pair}{suffix}", column)


def mean_tau(which):
    return pr("P2", "Section 4.3", f"tau with the full data, {which}", "here")


def wrong(comparisons):
    name = f"tables with a wrong decision, Eq. 4, m = {comparisons}, phi = 0"
    return pc(float(cell("P2", "Figure 4", name)))


def place(table, mean, columns):
    return cell("P3", "Section 4", f"place of humans, {table}, {mean} mean, {columns}")


def worse():
    name = "the best models are worse than humans by"
    return cell("P3", "Sections 1 and 4", name).removesuffix(" %")


def turned(table, mean):
    columns = {"GLUE": "the same ten tasks", "SuperGLUE": "the same eight tasks"}[table]
    name = f"pairs on which the arithmetic and the {mean} mean differ, {table}, {columns}"
    return float(cell("P3", "Section 4", name, "here"))


# -- the page --------------------------------------------------------------------------------------


# fmt: off
def numbers():
    """Return all numbers of the page as one reads: of each row of a table, with what follows."""
    return [
        [pc(found("largest share", "GEM", "mean")), pc(min(ratio(b) for b in BOARDS) - 1),
         pc(max(ratio(b) for b in BOARDS) - 1), "95", n(first("XTREME")), n(size("XTREME")),
         n(first("SuperGLUE")), n(size("SuperGLUE")), n(first("GLUE")), n(size("GLUE")),
         n(first("GEM")), n(size("GEM")), n(found_x("largest share", "GEM", "mean")),
         "2021", n(size("GLUE")), "40", "2022"],
        [],
        ["0.75", lost_at("mean"), "20", lost_at("one level"), steadier("XTREME"),
         steadier("SuperGLUE"), steadier("GLUE, first 40"), err("GEM", "Borda"),
         err("GEM", "mean"), "0.75", lost_here("exact"), d(most_behind())],
        ["0.3", least_errors(), "0.75", lost_here("exact, two levels"),
         lost_here("Borda, two levels")],
        [pr("P1", "Figure 7", "error of the mean, rescaled, phi = 0.05, factor 2"),
         pr("P1", "Figure 7", "largest error of the mean, rescaled"),
         pr("P1", "Figure 7", "error of the mean, rescaled and reversed, phi = 0.05, factor 2",
            "authors"),
         "10", err("GEM", "mean", case=LOUD), err("GEM", "mean", case=BOTH),
         d(max(found("corruption", b, "exact", LOUD, 1) for b in FEW))],
        ["0.80", "1", *(pr("P1", "Table 2", f"tau, {b}") for b in BOARDS[:3]),
         *(pr("P1", "Table 2", f"tau, {b}", "authors") for b in BOARDS[:3]), tau("GEM"),
         tau("GEM, standardized"), *(tau(b, two="exact") for b in BOARDS[:3]),
         tau("GEM", two="exact")],
        [*(pr("P1", "Table 2", f"common share of the top 10, {b}", digits=1) for b in BOARDS[:3])],
        [sizes_printed("XTREME"), sizes_printed("SuperGLUE"), sizes_printed("GLUE"),
         ahead("GEM", "Borda"), ahead("GEM, standardized", "Borda"), ahead("XTREME", "exact"),
         ahead("SuperGLUE", "exact"), ahead("GLUE, first 40", "exact"), ahead("GEM", "exact"),
         behind_borda()],
        [n(same_first()), "4"],
        [n(most_sizes("one level")), "9", n(most_sizes("two levels")),
         n(most_sizes_here("exact")), "4", n(most_sizes_here("Borda"))],
        [*(d(ratio(b), 2) for b in BOARDS[:3]), d(ratio("GEM")), d(ratio("GEM with gaps"), 3),
         *(d(ratio(b, "mean"), 2) for b in BOARDS[:3]), d(ratio("GEM", "mean")), "30", "30", "0",
         "50", "2023"],
        [],
        [*(lead_printed(b, "definition") for b in BOARDS[:3]),
         *(lead_printed(b, "authors") for b in BOARDS[:3]), lead_printed("GEM", "authors"),
         lead("GEM", "Borda", PLAIN), lead("GLUE", "Borda", LOW), lead("SuperGLUE", "Borda", LOW),
         lead("GEM", "Borda", LOW), *(lead(b, "exact", PLAIN) for b in BOARDS),
         *(lead(b, "exact", LOW) for b in BOARDS)],
        [*(table_1(b, "definition") for b in BOARDS[:3]),
         *(table_1(b, "authors") for b in BOARDS[:3]), table_1("GEM", "authors"),
         tau("GEM with gaps"), n(found_x("cost", "GEM with gaps", "mean")), "46",
         n(found_x("cost", "GEM with gaps", "Borda")), tau("GEM with gaps", two="exact"),
         tau("GEM with gaps", "Borda", "exact")],
        [mean_tau("one level"), mean_tau("two levels"), mean_tau("mean"),
         n(wins("Borda", "Borda, two levels", PLAIN)), "4", n(wins("Borda", "mean", PLAIN)),
         n(wins("Borda", "mean", LOW)), n(wins("exact", "exact, two levels", PLAIN)), "4",
         n(wins("exact", "mean", PLAIN)), n(wins("exact", "Borda", PLAIN))],
        [*(table_3(p, "here") for p in PAIRS), *(table_3(p, "authors") for p in PAIRS), "34",
         least_tau("exact"), "1", least_tau("exact, two levels"), "1"],
        ["4", wrong(100), wrong(500), "0.01", pc_range("equation 4"), pc_range(HOLM), "2021"],
        [],
        [human("GLUE", 9, "geometric"), n(found_x("humans", "GLUE", "mean")),
         human("GLUE", 9, "exact, at best"), human("GLUE", 9, "exact, at worst")],
        [place("SuperGLUE", "geometric", "the same eight tasks"),
         place("SuperGLUE", "harmonic", "the same eight tasks"), "6",
         human("SuperGLUE", 10, "geometric"),
         n(found_x("humans", "SuperGLUE", "mean", "10 tasks")),
         human("SuperGLUE", 8, "geometric"), human("SuperGLUE", 8, "harmonic"),
         n(found_x("humans", "SuperGLUE", "mean", "8 tasks")),
         human("SuperGLUE", 8, "exact, at worst")],
        [worse(), model("SuperGLUE", 10, "geometric"), model("SuperGLUE", 10, "harmonic"),
         model("GLUE", 9, "geometric"), model("GLUE", 9, "harmonic")],
        [n(turned("GLUE", "geometric")), n(turned("SuperGLUE", "geometric")), "15",
         n(turned("GLUE", "harmonic")), n(turned("SuperGLUE", "harmonic")),
         other("GLUE", 9, "geometric"), other("GLUE", 9, "harmonic"),
         other("SuperGLUE", 8, "geometric"), other("SuperGLUE", 8, "harmonic"),
         tau("GLUE", two="exact"), tau("SuperGLUE", two="exact")],
        [other("XTREME", 4, "geometric"), "15", tau("XTREME", two="exact"),
         n(size("GLUE") - found_x("humans", "GLUE", "mean")),
         n(size("SuperGLUE") - found_x("humans", "SuperGLUE", "mean", "10 tasks"))],
    ]
# fmt: on
