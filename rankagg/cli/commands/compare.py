"""`rankagg compare`: the main job."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.evidence import PairData
from rankagg.aggregation.two_level import default_aggregators
from rankagg.analysis.comparison.compare import Comparison, compare_until
from rankagg.analysis.comparison.sentences import text_of
from rankagg.cli.options.aggregators import made, methods_option
from rankagg.cli.options.exact import Ties, exact_options, exit_code, with_exact_options
from rankagg.cli.options.inputs import AnyInput
from rankagg.cli.options.names import OneOf, seed_option
from rankagg.cli.options.output import (
    FOLDER,
    as_option,
    echo_json,
    echo_pasted,
    json_option,
    plot_option,
    rows_options,
    save_plot,
    write_frame,
    write_json,
)
from rankagg.cli.options.scans import stream_options
from rankagg.cli.options.told import pairs_only
from rankagg.cli.options.wording import options_named
from rankagg.io.json_files import write_votes

if TYPE_CHECKING:
    from rankagg.inference.decisions import Decisions
    from rankagg.inference.units import Unit

__all__ = ["command"]


# Names of more items would be too small to read on one page.
PLOTTED = 40


@click.command("compare")
@stream_options
@methods_option("compare")
@exact_options
@rows_options("items and pairs")
@click.option("--one", is_flag=True, help="Do not look at the other optima.")
@click.option(
    "--decide",
    type=OneOf(["ranking", "instance", "task"]),
    help="Say which disagreeing pairs are decided at 5 %, where each of these is independent.",
)
@seed_option("randomized methods")
@json_option
@as_option
@plot_option("how items move from method to method")
@click.option(
    "--out",
    type=FOLDER,
    help="Also write methods.csv, ranks.csv, disagreements.csv, comparison.json, certificate.json "
    "and votes.json into this folder.",
)
def command(
    given: AnyInput,
    *,
    methods: tuple[str, ...],
    ties: Ties,
    deadline: Deadline,
    rows: int | None,
    one: bool,
    decide: Unit | None,
    seed: int,
    as_json: bool,
    pasted: str | None,
    plot: Path | None,
    out: Path | None,
) -> int:
    """Compare the rankings by mean, Borda, Copeland and exact Kemeny.

    For each method: its cost (how many votes of the single rankings it contradicts), how far that
    is from the proved optimum, and where it disagrees. Without --method all that suit the data:
    the mean for scores, Borda, two-level Borda for scores of instances, Copeland, and Kemeny.
    Where there are several optima: how many, and the distances to the nearest and the farthest.

    \b
    Scores: one row per system, one column per task, higher is better unless you say otherwise:
        rankagg compare scores.csv --lower perplexity --drop Score --weight RTE=2
    Scores of instances, wide and long:
        rankagg compare scores.csv --instance k
        rankagg compare long.csv --task task --instance k --score value
    Score files of any size, which are not held (see rankagg scan), and what they added up to:
        rankagg compare --stream 'data/*.parquet' --task task --instance id
        rankagg compare sums.json
    Only some methods, on bundled data:
        rankagg compare --dataset glue_human --method harmonic-mean --method kemeny
    """
    rules = made(methods, given.unranked) or default_aggregators(given.data, given.unranked)
    rules = with_exact_options(rules, ties=ties, deadline=deadline)
    decisions = None if decide is None else _decisions(given, decide)
    # Looking at the other optima takes its share.
    comparison = compare_until(
        deadline.share(1 if one else 2), given.data, rules, unranked=given.unranked,
        tolerance=given.tolerance, rng=seed,
    )  # fmt: skip
    alternatives = None
    if pasted is not None:
        echo_pasted(comparison, pasted, given.lines, as_json=as_json, rows=rows)
    elif as_json:
        echo_json({**comparison.to_dict(), "input": list(given.lines)})
    else:
        click.echo("\n".join(given.lines))
        alternatives = None if one else comparison.alternatives(deadline)
        click.echo(text_of(comparison, rows, alternatives=alternatives, decisions=decisions))
    top = PLOTTED if comparison.votes.n_items > PLOTTED else None
    save_plot(lambda: comparison.plot(top=top), plot)
    if out is not None:
        _write(comparison, given, out)
    return exit_code(comparison.consensuses, alternatives)


def _decisions(given: AnyInput, unit: Unit) -> Decisions:
    if isinstance(given.data, PairData):
        raise click.UsageError(
            f"--decide needs rankings or scores; {pairs_only(given.data)} not hold them."
        )
    # Only this option needs the statistics, which take most of a second to load.
    from rankagg.inference.intervals.pairwise import PairwiseIntervals  # noqa: PLC0415

    with options_named({"unit": "--decide"}):
        intervals = PairwiseIntervals.from_data(given.data, tolerance=given.tolerance, unit=unit)
        return intervals.decisions()


def _write(comparison: Comparison, given: AnyInput, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    write_frame(comparison.to_frame(), folder / "methods.csv")
    write_frame(comparison.ranks(), folder / "ranks.csv", index=True)
    write_json({**comparison.to_dict(), "input": list(given.lines)}, folder / "comparison.json")
    if comparison.exact is None or comparison.exact.certificate is None:
        return
    exact = comparison.exact.aggregator.name
    pairs = [
        comparison.disagreements(exact, method).assign(method=method)
        for method in comparison.methods
        if method != exact
    ]
    if pairs:
        import pandas as pd  # noqa: PLC0415

        write_frame(pd.concat(pairs, ignore_index=True), folder / "disagreements.csv")
    write_json(comparison.exact.certificate.to_dict(), folder / "certificate.json")
    write_votes(comparison.exact.pairwise, folder / "votes.json")
