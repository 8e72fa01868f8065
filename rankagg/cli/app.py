"""The command group; an error becomes one sentence and an exit code."""

from __future__ import annotations

import sys
import warnings
from importlib import import_module
from typing import Any

import click

from rankagg import __version__
from rankagg.exceptions import (
    DataWarning,
    InformationLostError,
    OutOfTimeError,
    OutputError,
    RankaggError,
    SolverError,
    TooLargeError,
    VerificationError,
    WorkerError,
    nearest,
    on_screen,
)

__all__ = ["main"]

# Failures of the package, not of the input.
_FAILURES = (SolverError, VerificationError, OutputError, WorkerError)
# These end a command with a sentence; others are bugs and show a traceback.
_FORESEEN = (RankaggError, MemoryError, OSError, UnicodeEncodeError, KeyboardInterrupt)
# Words of the package about data, and those of the command line.
_SUMS = {
    "a ScoreSummary does not hold them": "sums of scores do not hold them",
    "a Profile does not hold them.": "rankings do not hold them. See `rankagg list rules`.",
    "Read the scores with `read_scores`": "Give the file of the scores",
    "read the scores with `read_scores`": "give the file of the scores",
}

#: File in `rankagg.cli.commands` and first sentence of each command; --help loads no file.
COMMANDS = {
    "compare": ("ranking", "Compare the rankings of mean, Borda, Copeland and exact Kemeny."),
    "changes": ("ranking", "Explain how the ranking changed between two tables of scores."),
    "rank": ("ranking", "Rank the items by one rule."),
    "solve": ("ranking", "Find and prove the exact Kemeny consensus, and count the optima."),
    "verify": ("ranking", "Check a certificate of optimality against the votes."),
    "count": ("ranking", "Count an election round by round, by instant runoff or STV."),
    "tournament": ("ranking", "Show pairwise majorities, winners and Condorcet cycles."),
    "explain": ("ranking", "Explain why one item is ranked above another."),
    "steps": ("learning", "Show step by step how a rule reaches its ranking."),
    "axioms": ("learning", "Show which rules violate which axioms, with smallest examples."),
    "intervals": ("uncertainty", "Compute confidence intervals of ranks and pairwise proportions."),
    "test": ("uncertainty", "Test systems against a reference, or plan the sample size."),
    "dispersion": ("uncertainty", "Measure distances of rankings, or the agreement of tasks."),
    "missing": ("uncertainty", "Report missing scores, and results that depend on gaps."),
    "stability": ("uncertainty", "Measure the effect of leaving out tasks, ballots or systems."),
    "fit": ("models", "Fit a distribution over rankings, or compare several models."),
    "sample": ("models", "Draw random rankings and print them as CSV with counts."),
    "study": ("models", "Evaluate rules on many simulated or resampled data sets."),
    "scan": ("documents", "Sum up score files of any size in bounded memory."),
    "report": ("documents", "Write one page with all results, a proof and plots."),
    "list": ("learning", "List the rules, data sets or file formats."),
}

#: Printed if no command is given.
_FIRST_STEPS = """\
Give rankagg a file of scores, ballots or comparisons:

  rankagg compare FILE               compare the rules with the exact consensus
  rankagg report FILE -o page.html   write one page with all results and plots
  rankagg intervals FILE             compute confidence intervals of the ranks
  rankagg count FILE --seats 3       count an election by transfers of votes
  rankagg list formats               list the kinds of files

No file at hand? Try `rankagg compare --dataset tennessee`.
All commands: `rankagg --help`."""


class _LazyGroup(click.Group):
    """Commands that are imported when called, so that --help is quick; others can be added."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without loading them."""
        own = [(name, sentence) for name, (_, sentence) in COMMANDS.items()]
        added = [(name, one.get_short_help_str(200)) for name, one in self.commands.items()]
        with formatter.section("Commands"):
            formatter.write_dl([*own, *added])

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*COMMANDS, *self.commands]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return super().get_command(ctx, cmd_name)
        module = import_module(f"rankagg.cli.commands.{COMMANDS[cmd_name][0]}")
        found: click.Command = getattr(module, "list_names" if cmd_name == "list" else cmd_name)
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, known = args[0], self.list_commands(ctx)
        # The words typed, for remedies.
        ctx.obj = args
        if name not in known and not name.startswith("-"):
            ctx.fail(f"No such command {name!r}. {nearest(name, known)}".rstrip())
        return super().resolve_command(ctx, args)


def _say_version(context: click.Context) -> None:
    from rankagg.kernels.local_search import described

    click.echo(f"rankagg, version {__version__}\nkernels: {described()}")
    context.exit()


@click.group(
    cls=_LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=lambda context, _, asked: _say_version(context) if asked else None,
    help="Show the version and the backend of the inner loops.",
)
@click.pass_context
def app(context: click.Context) -> None:
    """Combine many rankings into one, with a proof and confidence intervals.

    \b
        rankagg compare scores.csv          # a row per system, a column per task
        rankagg compare election.soi        # ballots in a PrefLib format
        rankagg count election.soi --seats 3
        rankagg report scores.csv -o report.html
        rankagg compare --dataset tennessee

    `rankagg COMMAND --help` shows the main options of a command, --help-all shows all.
    Options with dots after their value can be repeated.

    Exit codes: 0 done, 1 failure, 2 bad input, 3 not proved or not complete in time, 4 a gate
    failed, 130 interrupted.
    """
    if context.invoked_subcommand is None:
        click.echo(_FIRST_STEPS)


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
    except (click.exceptions.Abort, click.ClickException, *_FORESEEN) as error:
        return _ended_by(error)
    return code if isinstance(code, int) else 0


def _ended_by(error: BaseException) -> int:
    """Print why a command ended, and return its exit code."""
    # This import loads NumPy, which --help does not need.
    from rankagg.cli.command import BAD_INPUT, FAILED, INTERRUPTED, UNPROVED

    if isinstance(error, (click.exceptions.Abort, KeyboardInterrupt)):
        click.echo("interrupted", err=True)
        return INTERRUPTED
    if isinstance(error, click.ClickException):
        click.echo(f"error: {on_screen(error.format_message())}", err=True)
        if ctx := getattr(error, "ctx", None):
            click.echo(f"See `{ctx.command_path} --help`.", err=True)
        return BAD_INPUT
    click.echo(f"error: {_text_of(error)}", err=True)
    if isinstance(error, (TooLargeError, OutOfTimeError)):
        return UNPROVED
    bad = isinstance(error, RankaggError) and not isinstance(error, _FAILURES)
    return BAD_INPUT if bad else FAILED


def _text_of(error: BaseException) -> str:
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
    text = str(error)
    if isinstance(error, InformationLostError):
        for words, here in _SUMS.items():
            text = text.replace(words, here)
    return text


def _show_warning(message: Warning | str, *args: Any, **kwargs: Any) -> None:
    click.echo(f"warning: {message}", err=True)
