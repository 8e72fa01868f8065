"""The command group, and what happens to errors: one sentence and an exit code."""

from __future__ import annotations

import sys
import warnings
from importlib import import_module
from typing import Any

import click

from rankagg import __version__
from rankagg.cli.exit_codes import BAD_INPUT, DONE, FAILED, INTERRUPTED, UNPROVED
from rankagg.cli.options.wording import sums_told
from rankagg.exceptions import (
    DataWarning,
    InformationLostError,
    NotCheckedError,
    OutOfTimeError,
    OutputError,
    RankaggError,
    SolverError,
    VerificationError,
    WorkerError,
    nearest,
    on_screen,
)
from rankagg.kernels.backend import described

__all__ = ["main"]

# A failure of this side, not of what was given.
FAILURES = (SolverError, VerificationError, OutputError, WorkerError)

#: Each command and its first line: --help loads none of them.
COMMANDS = {
    "compare": "Compare the rankings by mean, Borda, Copeland and exact Kemeny.",
    "scan": "Add up score files of any size in one pass, and describe them.",
    "report": "Write one page with everything: consensus, proof, other rules, uncertainty, gaps, "
    "plots.",
    "rank": "Rank by one rule and print ranks and scores.",
    "count": "Count an election round by round: instant runoff, or several seats by STV.",
    "solve": "Find the exact Kemeny consensus, prove it, and count the optima.",
    "verify": "Check that CERTIFICATE proves what it states about the votes of FILE.",
    "tournament": "Show who beats whom by how much, the winners, and Condorcet cycles.",
    "explain": "Say why one item stands above another: votes, cycle, scores, and what a swap "
    "costs.",
    "steps": "Show how a rule reaches its answer, step by step, in tables to follow by hand.",
    "stability": "Rank again without single tasks or systems, and on subsets of every size.",
    "axioms": "Say which rule breaks which axiom, and show the smallest profile that does.",
    "removals": "Find the fewest ballots or tasks whose removal changes the winner or reverses a "
    "pair.",
    "intervals": "Say how certain each rank and each pair is.",
    "test": "Test whether other systems are better than one on the same tasks or instances.",
    "power": "Say how many units would tell each system from the next one by mean scores.",
    "agreement": "Say how far tasks, or rankings, order systems alike, and test whether they do so "
    "at all.",
    "dispersion": "Measure the distance of consensuses to the rankings, and of the rankings to "
    "each other.",
    "missing": "Report missing scores, pairs never compared, and results that depend on gaps.",
    "fit": "Fit a distribution over rankings by maximum likelihood.",
    "models": "Say which model fits: held-out scores, AIC, BIC, and a test of the best.",
    "sample": "Draw rankings and print them as a CSV table of ranks with counts.",
    "study": "Measure each rule's distance from the proved optimum, on simulated or real data.",
    "cycles": "Say how often majorities of drawn profiles are cyclic, and Borda and Kemeny "
    "disagree.",
    "experiment": "Run an experiment of the papers on a table of scores: how stable is its "
    "ranking.",
    "rules": "List the rules: what they need, how they treat gaps and ties, and what is proved.",
    "datasets": "List the bundled data sets, or describe one.",
    "formats": "List the kinds of files that commands read, by the words for --format.",
}


#: What was a command, and where it is now.
MOVED = {
    "quiz": "The questions are in examples/course of the source: "
    "marimo run examples/course/quiz.py",
    "replicate": "The replication is in examples/papers of the source: "
    "python examples/papers/replicate.py",
    "teach": "The course is in examples/course of the source: marimo run examples/course",
}
#: The files of `rankagg.cli.commands`, and the commands in each.
FILES = {
    "ranking": {"compare", "rank", "count", "solve", "verify", "tournament", "explain", "steps"},
    "uncertainty": {
        *("stability", "removals", "intervals", "test"),
        *("power", "agreement", "dispersion", "missing"),
    },
    "distributions": {"fit", "models", "sample"},
    "experiments": {"study", "cycles", "experiment"},
    "learning": {"axioms", "rules", "datasets", "formats"},
    "documents": {"scan", "report"},
}


class LazyGroup(click.Group):
    """Commands that are imported when they are called, so that --help is quick.

    Others can be added, as to every group of click.
    """

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without loading them."""
        added = [(name, one.get_short_help_str(200)) for name, one in self.commands.items()]
        with formatter.section("Commands"):
            formatter.write_dl([*COMMANDS.items(), *added])

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*COMMANDS, *self.commands]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return super().get_command(ctx, cmd_name)
        file = next(file for file, names in FILES.items() if cmd_name in names)
        found = vars(import_module(f"rankagg.cli.commands.{file}")).values()
        commands = (one for one in found if isinstance(one, click.Command))
        return next(command for command in commands if command.name == cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, known = args[0], self.list_commands(ctx)
        if name in MOVED:
            click.echo(MOVED[name], err=True)
            ctx.exit(BAD_INPUT)
        if name not in known and not name.startswith("-"):
            ctx.fail(f"No such command {name!r}. {nearest(name, known)}".rstrip())
        return super().resolve_command(ctx, args)


def _say_version(context: click.Context) -> None:
    click.echo(f"rankagg, version {__version__}\nkernels: {described()}")
    context.exit()


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=lambda context, _, asked: _say_version(context) if asked else None,
    help="Show the version, and what the inner loops run on.",
)
def app() -> None:
    """Turn many rankings into one, and know how good it is.

    \b
    A table of scores, one row per system and one column per task:
        rankagg compare scores.csv
    Ballots in a PrefLib format, or as a CSV table of ranks:
        rankagg compare election.soi
        rankagg compare ballots.csv --format ballots --count count
    An election, counted round by round (IRV, RCV, STV):
        rankagg count election.soi --seats 3
    Score files that do not fit in memory:
        rankagg scan 'data/*.parquet' --task task --instance id --out sums.json
        rankagg compare sums.json
    One page with all results and plots:
        rankagg report scores.csv -o report.html
    The exact optimum alone, with its proof:
        rankagg solve election.soc --certificate proof.json
        rankagg verify proof.json election.soc
    Who beats whom, and why one stands above another:
        rankagg tournament election.soc
        rankagg explain scores.csv --pair BERT GPT
        rankagg steps election.soc --rule schulze
    Confidence intervals, tests, missing scores, stability:
        rankagg intervals scores.csv
        rankagg test scores.csv --reference baseline
        rankagg power scores.csv
        rankagg agreement scores.csv
        rankagg dispersion scores.csv
        rankagg missing scores.csv
        rankagg stability scores.csv
        rankagg removals scores.csv
    A distribution over rankings, and samples from it:
        rankagg fit election.soc --model mallows
        rankagg sample --center A,B,C --theta 0.5
    The axioms that each rule satisfies or violates, with examples:
        rankagg axioms
    The quality of a rule on simulated data:
        rankagg study --mallows 0.8 --items 10 --items 30
        rankagg cycles
    Lists of rules, data sets and kinds of files, and a data set to try:
        rankagg rules
        rankagg datasets
        rankagg formats
        rankagg compare --dataset tennessee

    \b
    Exit codes: 0 done, 1 failure, 2 bad input, 3 finished without a proof or not all in
    time, 4 a gate fails, 130 interrupted.
    """


def main(args: list[str] | None = None) -> None:
    """Run the command line and exit."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", DataWarning)
        warnings.showwarning = _show_warning
        sys.exit(_run(args))


def _run(args: list[str] | None) -> int:
    try:
        if sys.stdout is None:
            raise OutputError("The output cannot be written: the standard output is closed.")
        code = app.main(args=args, standalone_mode=False)
    except (click.exceptions.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        return INTERRUPTED
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return BAD_INPUT
    except click.ClickException as error:
        click.echo(f"error: {on_screen(error.format_message())}", err=True)
        if ctx := getattr(error, "ctx", None):
            click.echo(f"`{ctx.command_path} -h` lists what it takes.", err=True)
        return BAD_INPUT
    except (RankaggError, MemoryError, OSError, UnicodeEncodeError) as error:
        click.echo(f"error: {_told(error)}", err=True)
        if isinstance(error, (NotCheckedError, OutOfTimeError)):
            return UNPROVED
        bad = isinstance(error, RankaggError) and not isinstance(error, FAILURES)
        return BAD_INPUT if bad else FAILED
    return code if isinstance(code, int) else DONE


def _told(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return "there is not enough memory for data of this size."
    if isinstance(error, UnicodeEncodeError):
        lacking = ascii(error.object[error.start])
        return (
            f"the output cannot be written: its encoding, {error.encoding}, has no {lacking}. Set "
            "the environment variable PYTHONIOENCODING to utf-8."
        )
    if isinstance(error, OSError) and not isinstance(error, RankaggError):
        return f"the output cannot be written: {error.strerror or error}."
    return sums_told(error) if isinstance(error, InformationLostError) else str(error)


def _show_warning(message: Warning | str, *args: Any, **kwargs: Any) -> None:
    click.echo(f"warning: {message}", err=True)
