"""`rankagg rank`: one method."""

from __future__ import annotations

from pathlib import Path

import click

from rankagg.aggregation.deadline import Deadline
from rankagg.cli.options.aggregators import make, method_option
from rankagg.cli.options.exact import Ties, exact_options, exit_code, with_exact_options
from rankagg.cli.options.inputs import AnyInput, any_input_options
from rankagg.cli.options.output import (
    FOLDER,
    as_option,
    echo_result,
    json_option,
    write_frame,
    write_json,
)
from rankagg.cli.options.wording import options_named
from rankagg.io.evaluations.every_eval_ever import write_evaluations

__all__ = ["command"]


@click.command("rank")
@any_input_options
@method_option
@exact_options
@json_option
@as_option
@click.option(
    "--out",
    type=FOLDER,
    help="Also write ranking.csv and consensus.json into this folder.",
)
@click.option(
    "--every-eval-ever",
    type=FOLDER,
    help="Also write the ranks as Every Eval Ever into this folder, a file for each system.",
)
def command(
    given: AnyInput,
    *,
    method: str,
    ties: Ties,
    deadline: Deadline,
    as_json: bool,
    pasted: str | None,
    out: Path | None,
    every_eval_ever: Path | None,
) -> int:
    """Rank by one method and print ranks and scores.

    \b
        rankagg rank scores.csv --method borda
        rankagg rank election.soi --unranked ignore
    """
    (rule,) = with_exact_options([make(method, given.unranked)], ties=ties, deadline=deadline)
    consensus = rule.aggregate(given.data, tolerance=given.tolerance, deadline=deadline)
    echo_result(consensus, given.lines, as_json=as_json, pasted=pasted)
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        write_frame(consensus.to_frame(), out / "ranking.csv")
        write_json({**consensus.to_dict(), "input": list(given.lines)}, out / "consensus.json")
    if every_eval_ever is not None:
        with options_named({"consensus": "the consensus"}):
            write_evaluations(consensus, every_eval_ever, title=f"consensus of {given.name}")
    return exit_code([consensus])
