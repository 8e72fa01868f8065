"""What the study found, as text."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd
from cells import LIMIT


def misses(ranks: pd.DataFrame) -> pd.Series:
    """Say of each row whether the method decided wrongly in too many tables."""
    return ranks["wrong"] > LIMIT


def holds_from(rows: pd.DataFrame, missed: pd.Series) -> int | None:
    """Return from how many units on no row is a miss; None where the largest number has one."""
    sizes = sorted(rows["units"].unique())
    worst = rows.loc[missed, "units"].max() if missed.any() else 0
    return next((int(size) for size in sizes if size > worst), None)


def right_unit(ranks: pd.DataFrame) -> pd.DataFrame:
    """Return the rows in which what is independent is taken to be so."""
    wrong = ranks["distribution"].isin(["four metrics", "tasks of five"]) & (
        ranks["unit"] == "ranking"
    )
    return ranks[~wrong]


def summary(ranks: pd.DataFrame, binomial: pd.DataFrame, proportions: pd.DataFrame) -> str:
    """Return the tables of the study."""
    right = right_unit(ranks)
    lines = [
        f"nominal 95 %; {ranks['repetitions'].min()} to {ranks['repetitions'].max()} tables a "
        "cell; six systems unless stated; figures in %",
        f"* more than {100 * LIMIT:g} % wrong, or less than {100 - 100 * LIMIT:g} % covered",
        "",
        "The number of units from which on there is no *",
        *holding(right, binomial),
    ]
    for (of, method), rows in right.groupby(["of", "method"], sort=False):
        lines += [
            "",
            f'Tables with a wrong decision, of="{of}", {method}',
            *grid(rows, distributions(rows), "wrong"),
        ]
    for systems, rows in right[right["distribution"] == "spaced"].groupby("systems"):
        lines += [
            "",
            f"Pairs of {systems} spaced systems that are decided rightly",
            *grid(rows, ways(rows), "power"),
        ]
    for figure, title in FIGURES.items():
        lines += [
            "",
            f"{title}, under the distribution that is hardest for it",
            *grid(right, ways(right), figure),
        ]
    wrong = ranks.drop(right.index)
    lines += [
        "",
        "Tables with a wrong decision where each column is taken to be independent, and is not",
        *grid(wrong, wrong["distribution"] + ": " + wrong["method"], "wrong"),
        "",
        "The interval of one pair, at the proportion from .5 to .98 where it is covered least",
        *grid(binomial, kinds(binomial), "least"),
        "",
        "The same, on average over these proportions",
        *grid(binomial, kinds(binomial), "mean"),
        "",
        "Other statements that are right",
        *(
            f"  {row.interval:<55}{row.units:>4} units {marked(100 * row.covered, 'least'):>7}"
            for row in proportions.itertuples()
        ),
    ]
    return "\n".join(line.rstrip() for line in lines)


FIGURES = {
    "ranks": "Tables in which all ranks are covered",
    "rank": "Tables in which the rank of an item alone is covered",
    "first": "Tables in which an item that is first is among those that may be",
    "top_1": "Tables in which all items that are first are among those that may be",
    "top_3": "Tables in which all items of the first three ranks are among those that may be",
}


def distributions(rows: pd.DataFrame) -> pd.Series:
    """Name distributions, and how many systems there are."""
    return rows["distribution"] + [f", {n} systems" if n != 6 else "" for n in rows["systems"]]


def ways(rows: pd.DataFrame) -> pd.Series:
    """Name what ranks are by, and the method."""
    return rows["of"] + ", " + rows["method"]


def kinds(rows: pd.DataFrame) -> pd.Series:
    """Name methods for pairs, and how many comparisons are ties."""
    return rows["method"] + [
        f", {100 * share:.0f} % ties" if share else "" for share in rows["ties"]
    ]


def holding(ranks: pd.DataFrame, binomial: pd.DataFrame) -> Iterator[str]:
    """Say of each method from how many units on it holds."""
    for way, rows in ranks.groupby(ways(ranks), sort=False):
        yield f"  {way:<40}{least_told(rows, misses(rows))}"
    for method, rows in binomial.groupby("method", sort=False):
        yield f"  {'one pair, ' + method:<40}{least_told(rows, rows['least'] < 1 - LIMIT)}"


def least_told(rows: pd.DataFrame, missed: pd.Series) -> str:
    """Say from where there is no miss, if anywhere."""
    least = holds_from(rows, missed)
    return f"none to {rows['units'].max()}" if least is None else str(least)


def grid(rows: pd.DataFrame, labels: pd.Series, figure: str) -> list[str]:
    """Return a line for each label, with a figure in percent for each number of units."""
    worst = "max" if figure == "wrong" else "min"
    table = 100 * rows.assign(label=labels).pivot_table(
        index="label", columns="units", values=figure, aggfunc=worst, sort=False
    ).sort_index(axis=1)  # fmt: skip
    head = " " * 34 + "".join(f"{units:>7} " for units in table.columns)
    return [head] + [
        f"  {label:<32}" + "".join(f"{marked(value, figure):>8}" for value in values)
        for label, values in zip(table.index, table.to_numpy(), strict=True)
    ]


def marked(value: float, figure: str) -> str:
    """Return a figure in percent, with a star where it is a miss."""
    if pd.isna(value):
        return ""
    if figure in ("power", "mean"):
        return f"{value:.1f} "
    wrong = value if figure == "wrong" else 100 - value
    return f"{value:.1f}{'*' if wrong > 100 * LIMIT else ' '}"
