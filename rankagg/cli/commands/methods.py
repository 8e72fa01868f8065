"""`rankagg methods`: the rules, and what they take, give and promise."""

from __future__ import annotations

import click

from rankagg.analysis.comparison.compare import capabilities
from rankagg.cli.options.aggregators import METHODS, make
from rankagg.cli.options.output import echo_json, json_option

__all__ = ["command"]

LEGEND = """
needs      The least that a method works with; scores can be ranked, and rankings counted.
unranked   "policy": as --unranked says; "as observed": only what is there is used.
ties       Whether the consensus may tie items. All methods take ties and weights.
guarantee  On complete strict rankings the Kendall cost is at most so many times the optimum;
           "-" where no bound is stated."""


@click.command("methods")
@json_option
def command(*, as_json: bool) -> None:
    """List the methods: what they need, how they treat gaps and ties, and what is proved.

    \b
        rankagg methods
    """
    rules = [make(name, "uniform") for name in METHODS]
    frame = capabilities(rules)
    frame.insert(0, "method", list(METHODS))
    frame["unranked"] = ["as observed" if rule.policy is None else "policy" for rule in rules]
    if as_json:
        plain = frame.astype(object).where(frame.notna(), None).to_dict("records")
        echo_json({"schema": "rankagg.methods", "version": 1, "methods": plain})
        return
    frame["guarantee"] = ["-" if rule.guarantee is None else str(rule.guarantee) for rule in rules]
    shown = frame.drop(columns="in_expectation")
    widths = {column: max(map(len, [*shown[column], column])) for column in shown}
    for row in [list(shown), *shown.itertuples(index=False, name=None)]:
        cells = (f"{cell:<{width}}" for cell, width in zip(row, widths.values(), strict=True))
        click.echo("  ".join(cells).rstrip())
    click.echo(LEGEND)
