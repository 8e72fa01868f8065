"""`rankagg tournament`: the majority graph, its winners and its cycles."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny.aggregator import Kemeny
from rankagg.aggregation.positional import Borda
from rankagg.analysis.tournament import TournamentGraph
from rankagg.cli.options.exact import time_limit_option
from rankagg.cli.options.inputs import AnyInput, any_input_options
from rankagg.cli.options.output import (
    FILE,
    echo_json,
    json_option,
    plot_option,
    rows_options,
    save_plot,
)
from rankagg.core.items import counted
from rankagg.exceptions import visible
from rankagg.io.output_files import write_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["command"]


@click.command("tournament")
@any_input_options
@time_limit_option("the exact consensus in the plot")
@rows_options("majorities")
@json_option
@plot_option("the majorities, and where the exact consensus and Borda go against them,")
@click.option("--graphml", type=FILE, help="Also write GraphML.")
@click.option(
    "--dot",
    type=FILE,
    help="Also write the DOT language of Graphviz.",
)
def command(
    given: AnyInput,
    *,
    deadline: Deadline,
    rows: int | None,
    as_json: bool,
    plot: Path | None,
    graphml: Path | None,
    dot: Path | None,
) -> None:
    """Show who beats whom by how much, the winners, and Condorcet cycles.

    \b
        rankagg tournament election.soc
        rankagg tournament scores.csv --dot graph.dot
    """
    graph = TournamentGraph.from_data(
        given.data, unranked=given.unranked, tolerance=given.tolerance
    )
    if as_json:
        echo_json({**graph.to_dict(), "input": list(given.lines)})
    else:
        arcs = graph.arcs()
        shown = arcs if rows is None else arcs.head(rows)
        click.echo("\n".join([*given.lines, graph.summary()]))
        if len(shown):
            click.echo(f"\n{visible(shown.to_string(index=False, float_format='{:g}'.format))}")
        if len(shown) < len(arcs):
            click.echo(f"... and {counted(len(arcs) - len(shown), 'more majority')}")
    save_plot(lambda: _plot(graph, given, deadline), plot)
    if graphml is not None:
        graph.write_graphml(graphml)
    if dot is not None:
        write_text(dot, graph.to_dot())


def _plot(graph: TournamentGraph, given: AnyInput, deadline: Deadline) -> Axes:
    exact = Kemeny(unranked=given.unranked).aggregate(graph.votes, deadline=deadline)
    if exact.interrupted:
        raise KeyboardInterrupt
    borda = Borda(unranked=given.unranked).aggregate(graph.votes)
    return graph.plot(ranking=exact, against=borda)
