"""Commands that rank: one rule or several, the exact optimum, its proof and its reasons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, cast

import click

import rankagg as ra
from rankagg.check_certificate import BYTES, SECONDS
from rankagg.cli.options.command import (
    FILE,
    FOLDER,
    Answer,
    Output,
    command,
    output,
    rows_told,
    write_frame,
    write_json,
)
from rankagg.cli.options.exact import (
    CONSTRAINTS,
    EXACTLY,
    ExactOptions,
    Wishes,
    exit_code,
    time_limit,
)
from rankagg.cli.options.given import data
from rankagg.cli.options.rules import NAMED, RULE, RuleName, make, names_by_rounds, rules_to
from rankagg.cli.options.typed import (
    TIME,
    Number,
    Option,
    Whole,
    choice,
    flag,
    labels_of,
    seed,
    several,
    two_items,
    weights_of,
)
from rankagg.cli.options.wording import options_named
from rankagg.exceptions import DataFormatError, InvalidInputError, VerificationError
from rankagg.io.output_files import write_text

if TYPE_CHECKING:
    from rankagg._typing import Label
    from rankagg.aggregation import Deadline
    from rankagg.analysis.comparison.agreement import Alternatives
    from rankagg.cli.options.inputs import Input


OUT = Option(
    "--out", type=FOLDER, help="Also write ranking.csv and consensus.json into this folder."
)
MOST_ITEMS_BY_HAND = 8
# What files of steps end in; those without an ending are text.
ENDINGS = {"": "text", ".txt": "text", ".html": "html", ".htm": "html", ".tex": "latex"}


def _write(given: Input, consensus: ra.Consensus, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    write_frame(consensus.to_frame(), folder / "ranking.csv")
    write_json({**consensus.to_dict(), "input": list(given.lines)}, folder / "consensus.json")


@command(data(), RULE, EXACTLY, output("items", pasted=True), OUT)
def rank(given: Input, *, name: str, exact: ExactOptions, out: Path | None) -> Answer:
    """Rank by one rule and print ranks and scores.

    \b
        rankagg rank scores.csv --rule borda
        rankagg rank election.soi --unranked ignore
    """
    (rule,) = exact.rules([make(name)])
    deadline = exact.until(given, [rule])
    consensus = rule.aggregate(given.data, tolerance=given.tolerance, deadline=deadline)
    return Answer(
        result=consensus,
        files=[(out, partial(_write, given, consensus))],
        code=exit_code([consensus]),
    )


@command(
    data(whole=True, ballots=True),
    Option(
        "--seats",
        type=Whole(1, 10**6),
        help="How many are elected; default: as many as a BLT file states, or 1.",
    ),
    choice(
        "--counting",
        ["irv", "scottish", "meek"],
        "Instant runoff (default for one seat), or surpluses as in Scotland (default for "
        "more) or by Meek.",
    ),
    Option(
        "--rule",
        metavar="RULE",
        type=RuleName(names_by_rounds),
        help="A rule for one seat that counts by rounds, in place of --counting.",
    ),
    choice(
        "--quota",
        ["droop", "hare"],
        "How many votes elect where surpluses are passed on; droop by default.",
    ),
    choice(
        "--tie-breaking",
        ["order", "lot", "together", "refuse"],
        "What decides ties: the order of the items (default), a lot by --seed (scottish, "
        "meek), all go together (irv, coombs, baldwin), or nothing.",
    ),
    seed("For lots."),
    Option(
        "--csv", group="Output", type=FILE, help="Also write the table of rounds as a CSV file."
    ),
    output("candidates", pasted=True),
)
def count(
    given: Input,
    *,
    seats: int | None,
    counting: Any,
    rule: Any,
    rng: int,
    csv: Path | None,
    **how: Any,
) -> Answer:
    """Count an election round by round: instant runoff, or STV.

    \b
        rankagg count votes.csv --format cast-votes --csv rounds.csv
        rankagg count election.soi --rule coombs
        rankagg count election.soi --seats 3 --counting meek

    Prints who is elected, the votes of each round (or last places, or points), exhausted ballots,
    and the margin of the last round. Candidates that a ballot leaves out are below all that it
    lists.
    """
    if rule and counting:
        raise click.UsageError("--rule and --counting exclude each other.")
    stated = {name: value for name, value in how.items() if value is not None}
    lines = given.lines
    if given.seats and given.seats != 1:
        filled = f"--seats fills {seats}" if seats else "all of them are filled"
        lines = (*lines, f"seats: {given.name} states {given.seats}; {filled}")
    one = seats or given.seats or 1
    counting = counting or ("irv" if rule or one == 1 else "scottish")
    if counting == "irv":
        if one > 1 and not seats:
            told = f"rule {rule}" if rule else "counting irv"
            raise click.UsageError(
                f"--{told} fills one seat, and {given.name} states {one}: give --seats 1."
            )
        found = _for_one_seat(one, rule, stated).count(given.data)
    else:
        found = ra.STV(one, counting=counting, **stated).count(given.data, rng=rng)
    write = [(csv, lambda path: write_frame(found.to_frame(), path))]
    return Answer(result=found, lines=lines, files=write)


def _for_one_seat(seats: int, rule: Any, stated: dict[str, Any]) -> Any:
    if seats > 1:
        told = f"rule {rule}" if rule else "counting irv"
        raise click.UsageError(f"--{told} fills one seat.")
    if "quota" in stated or "lot" in stated.values():
        told = "quota" if "quota" in stated else "tie-breaking lot"
        raise click.UsageError(
            f"--{told} is for surpluses that are passed on: give --seats, or --counting scottish "
            "or meek."
        )
    if rule == "nanson" and stated:
        raise click.UsageError("--tie-breaking has no meaning for nanson, which breaks no ties.")
    ties = {} if rule == "nanson" else {"tie_breaking": "order"}
    return replace(make(rule or "instant-runoff"), **{**ties, **stated})


@command(
    data(),
    rules_to("compare"),
    EXACTLY,
    output("items and pairs", pasted=True, plot="how items move from rule to rule"),
    flag("--one", help="Do not look at the other optima."),
    choice(
        "--decide",
        ["ranking", "instance", "task"],
        "Say which disagreeing pairs are decided at 5 %, where each of these is independent.",
    ),
    seed("For rules that draw."),
    Option(
        "--out",
        type=FOLDER,
        help="Also write rules.csv, ranks.csv, disagreements.csv, comparison.json, "
        "certificate.json and votes.json into this folder.",
    ),
)
def compare(
    given: Input,
    *,
    names: Sequence[str],
    exact: ExactOptions,
    output: Output,
    one: bool,
    decide: Any,
    rng: int,
    out: Path | None,
) -> Answer:
    """Compare the rankings by mean, Borda, Copeland and exact Kemeny.

    \b
        rankagg compare scores.csv --lower perplexity --drop Score
        rankagg compare long.csv --task task --instance k --score value
        rankagg compare election.soi --rule borda --rule kemeny

    For each rule: its cost (how many votes of the single rankings it contradicts), how far that
    is from the proved optimum, and where it disagrees. Without --rule all that suit the data:
    the mean for scores, Borda, two-level Borda for scores of instances, Copeland, and Kemeny.
    Where there are several optima: how many, and the distances to the nearest and the farthest.

    A table of scores has a row for each system and a column for each task; higher is better
    unless --lower says otherwise. Sums of `rankagg scan` are compared too.
    """
    from rankagg.analysis.comparison.compare import compare_until
    from rankagg.analysis.comparison.sentences import comparison_text

    rules = exact.chosen(names, given)
    deadline = exact.until(given, rules)
    decisions = None if decide is None else _decisions(given, decide)
    comparison = compare_until(
        # Looking at the other optima takes its share.
        deadline.share(1 if one else 2),
        given.evidence,
        rules,
        rng=rng,
    )
    others = comparison.alternatives(deadline) if output.is_text and not one else None
    # Names of more items would be too small to read on one page.
    top = 40 if len(comparison.consensuses[0].items) > 40 else None
    return Answer(
        result=comparison,
        text=lambda rows: comparison_text(
            comparison, rows, alternatives=others, decisions=decisions
        ),
        plot=lambda: comparison.plot(top=top),
        files=[(out, lambda folder: _write_comparison(comparison, given, folder))],
        code=exit_code(comparison.consensuses, others),
    )


def _decisions(given: Input, unit: Any) -> Any:
    from rankagg.inference.units import tied_rankings

    given.refuse_pairs("--decide needs rankings or scores")
    with options_named({"unit": "--decide"}):
        rankings = tied_rankings(given.data, given.tolerance)
        intervals = ra.PairwiseIntervals.from_data(rankings, unit=unit)
        return intervals.decisions()


def _write_comparison(comparison: ra.analysis.RuleComparison, given: Input, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    write_frame(comparison.to_frame(), folder / "rules.csv")
    write_frame(comparison.ranks(), folder / "ranks.csv", index=True)
    write_json({**comparison.to_dict(), "input": list(given.lines)}, folder / "comparison.json")
    if comparison.exact is None or comparison.exact.certificate is None:
        return
    exact = comparison.exact.rule.name
    pairs = [
        comparison.disagreements(exact, rule).assign(rule=rule)
        for rule in comparison.rules
        if rule != exact
    ]
    if pairs:
        import pandas as pd

        write_frame(pd.concat(pairs, ignore_index=True), folder / "disagreements.csv")
    write_json(comparison.exact.certificate.to_dict(), folder / "certificate.json")
    ra.io.write_votes(comparison.exact.pairwise, folder / "votes.json")


@command(
    data(taken=["--first"]),
    EXACTLY,
    CONSTRAINTS,
    choice(
        "--backend",
        ["cuts", "subset-dp"],
        "Cuts and branch and bound in HiGHS, or dynamic programming over subsets.",
        group="Kemeny",
        default="cuts",
    ),
    Option("--certificate", type=FILE, help="Write the proof as JSON."),
    Option(
        "--votes",
        group="Output",
        type=FILE,
        help="Write the votes that the proof speaks of as JSON.",
    ),
    several(
        "--item-weight",
        "ITEM=NUMBER",
        "How much an item matters, default 1: a pair counts as often as the product of its "
        "weights.",
        "item_weights",
        group="Kemeny",
    ),
    Option(
        "--top-k",
        metavar="K",
        type=Whole(1, 10**6),
        help="The best list of K items, with all others tied behind it, by an integer program "
        "and without a proof.",
    ),
    OUT,
    flag("--one", help="Do not look at the other optima."),
    flag(
        "--all",
        "everything",
        group="Output",
        help="With --top-k: print what is behind the list too.",
    ),
    output(plot="who beats whom how often, in the order of the consensus,"),
)
def solve(
    given: Input,
    *,
    exact: ExactOptions,
    wishes: Wishes,
    top_k: int | None,
    backend: Any,
    certificate: Path | None,
    votes: Path | None,
    item_weights: Sequence[str],
    out: Path | None,
    one: bool,
    everything: bool,
) -> Answer:
    """Find the exact Kemeny consensus, prove it, and count optima.

    \b
        rankagg solve election.soc --certificate proof.json
        rankagg solve matrix.lop --time-limit 60
        rankagg solve election.soc --above A,B --last Z --quota A,B,C:5:2

    FILE may be a table of scores, ballots, or a linear ordering matrix (the number n, then n x n
    numbers, row above column).
    """
    from rankagg.aggregation import Evidence
    from rankagg.analysis.comparison.agreement import Alternatives

    evidence = given.evidence
    constraints = wishes.of(evidence.items)
    rule: ra.Aggregator
    if top_k is not None:
        others = {
            "constraints": constraints is not None,
            "--backend": backend != "cuts",
            "--consensus-ties": exact.consensus_ties,
            "--certificate": certificate is not None,
        }
        for name, is_given in others.items():
            if is_given:
                raise click.UsageError(f"--top-k does not go with {name}.")
        price = 0.5 if exact.tie_cost is None else exact.tie_cost
        rule = ra.TopK(top_k, tie_cost=price)
    else:
        kemeny = ra.Kemeny(backend=backend, constraints=constraints)
        (rule,) = exact.rules([kemeny])
    if item_weights:
        weights = weights_of("--item-weight", item_weights, evidence.items, "item")
        evidence = Evidence(evidence.votes.with_item_weights(weights))
    deadline = exact.until(given, [rule])
    consensus = rule.aggregate(evidence, deadline=deadline.share(1 if one else 2))
    asked = not one and consensus.is_proved
    optima = consensus.optima if asked else None
    known = None if optima is None else Alternatives.of(optima, deadline)
    above = []
    if given.holds_pairs and rule.is_strict:
        total = consensus.pairwise.wins.sum() - consensus.cost
        above.append(f"sum above the diagonal in the order found: {total:.12g}")
    if known is not None:
        above.append(f"optima       {known.summary()}")
    elif asked and constraints is not None:
        above.append("optima       not looked for where constraints count places")
    proof: Any = consensus.certificate
    shown = None if everything else top_k
    return Answer(
        result=consensus,
        data=lambda: {**consensus.to_dict(), "optima": known and _plain_optima(known)},
        text=lambda rows: "\n".join([*above, consensus.summary(rows=shown)]),
        plot=lambda: ra.plotting.pairwise_heatmap(consensus.pairwise, consensus),
        files=[
            (certificate if proof else None, lambda path: write_json(proof.to_dict(), path)),
            (votes, lambda path: ra.io.write_votes(consensus.pairwise, path)),
            (out, partial(_write, given, consensus)),
        ],
        code=exit_code([consensus], known),
    )


def _plain_optima(known: Alternatives) -> dict[str, Any]:
    """Return plain data for JSON; what there was no time for is None."""
    found = known.is_unique is not None
    return {
        "text": known.summary(),
        "is_unique": known.is_unique,
        "count": known.count if found else None,
        "undecided_pairs": known.optima.n_undecided_pairs if found else None,
        "blocks": [list(block) for block in known.optima.blocks] if found else None,
    }


@command(
    click.Argument(["certificate"], type=click.Path(dir_okay=False, path_type=Path)),
    data(),
    Option(
        "--time-limit",
        metavar="SECONDS",
        type=TIME,
        default=SECONDS,
        help="What reading and the check may take.",
    ),
    Option(
        "--memory-limit",
        metavar="BYTES",
        type=Number(0, 1e15),
        default=BYTES,
        help="What the check may take beside the files, estimated from their sizes.",
    ),
)
def verify(
    given: Input, *, certificate: Path, time_limit: float | None, memory_limit: float
) -> Answer:
    """Check that CERTIFICATE proves what it states of the votes.

    \b
        rankagg solve election.soc --certificate proof.json
        rankagg verify proof.json election.soc
        rankagg verify proof.json votes.json

    All of it is computed again in integers, without a solver. The data and the options that say
    what they are must be those that the certificate was made with: other votes are noticed. The
    exit code is 0 where the proof holds, 1 where it does not, and 3 where the limits do not suffice
    to say. `solve --votes` and `compare --out` write votes as JSON.
    """
    from rankagg.aggregation.kemeny.certificate import certificate_of
    from rankagg.cli.options.inputs import buffered
    from rankagg.cli.options.kinds import DASH, NAME
    from rankagg.core import amount, counted
    from rankagg.io.strict_json import parse_json
    from rankagg.io.tables.sources import read_text

    votes = given.evidence.votes
    if str(certificate) == DASH and given.name == NAME:
        raise click.UsageError("The standard input is either CERTIFICATE or FILE, not both.")
    with options_named({"source": "CERTIFICATE"}), buffered((str(certificate),)) as (path,):
        name, text = read_text(path)
    try:
        proof = certificate_of(parse_json(text, name))
        left = None if time_limit is None else max(0.0, time_limit - (monotonic() - given.began))
        proof.verify(_named_as(proof.items, votes), time_limit=left, memory_limit=memory_limit)
    except (DataFormatError, VerificationError) as error:
        raise VerificationError(f"{name} is no valid proof for these votes. {error}") from None

    def votes_told(number: Fraction) -> str:
        told = amount(float(number))
        about = "" if Fraction(told.replace(",", "")) == number else "about "
        return f"{about}{counted(told, 'vote')}"

    cost = votes_told(Fraction(proof.scaled_cost, proof.denominator))
    bound = votes_told(Fraction(proof.scaled_lower_bound, proof.denominator))
    prices = f"a tied vote costs {float(proof.tie_cost):g}"
    if not isinstance(proof, ra.Certificate):
        prices += f", a vote on a tied pair {float(proof.consensus_tie_cost):g}"
    none = "none"
    if isinstance(proof, ra.Certificate) and proof.demands:
        from rankagg.aggregation.kemeny.constrained import parts_of

        kept = "; ".join(one.words(votes.items) for one in parts_of(proof.demands))
        none = f"none under its constraints ({kept})"
    this = f"the ranking {proof.ranking.to_text()} costs {cost} ({prices})"
    told = f"The proof holds: {this}, and {none} costs less"
    if proof.status != "optimal":
        told = f"The bound holds: {this}, and {none} less than {bound}"
    slack = f", all to within {votes_told(proof.tolerance)}" if proof.tolerance else ""
    return Answer(lines=(), text=lambda rows: f"{told}{slack}.")


def _named_as(items: Sequence[Label], votes: ra.PairwiseMatrix) -> ra.PairwiseMatrix:
    """Return votes with the items of a certificate, where these are numbers and a file has text."""
    from rankagg.core import ItemSet

    if tuple(votes.items) == tuple(items) or [*map(str, votes.items)] != [*map(str, items)]:
        return votes
    wins, ties, denominator = votes.lowest_terms
    return ra.PairwiseMatrix(
        items=ItemSet(items),
        scaled_wins=wins,
        scaled_ties=ties,
        denominator=denominator,
        rounding=votes.rounding,
    )


@command(
    data(),
    Option(
        "--pair", nargs=2, required=True, metavar="ITEM ITEM", help="The two items, in any order."
    ),
    Option(
        "--rule",
        metavar="RULE",
        type=NAMED,
        help="The rule; default: ratings for battles, else kemeny.",
    ),
    EXACTLY,
    output(),
)
def explain(given: Input, *, pair: Sequence[str], rule: Any, exact: ExactOptions) -> Answer:
    """Explain why one item is above another, by votes and costs.

    \b
        rankagg explain scores.csv --pair BERT GPT --rule borda
        rankagg explain battles.csv --cluster judge --pair BERT GPT
        rankagg explain --dataset borda_fails_condorcet --pair A B
    """
    from rankagg.analysis.explanation import explain_until
    from rankagg.report.kinds.choice import kind_of

    rated = kind_of(given.data).leader() if rule is None else None
    (rule,) = exact.rules([rated or make(rule or "kemeny")])
    evidence = given.evidence
    first, second = two_items(pair, evidence.items)
    deadline = exact.until(given, [rule])
    consensus = rule.aggregate(evidence, deadline=deadline.share(2))
    found = explain_until(deadline, consensus, first, second)
    return Answer(result=found, code=exit_code([consensus], found))


@command(
    data(),
    time_limit("the exact consensus in the plot"),
    output(
        "majorities",
        plot="the majorities, and where the exact consensus and Borda go against them,",
    ),
    Option("--graphml", group="Output", type=FILE, help="Also write GraphML."),
    Option("--dot", group="Output", type=FILE, help="Also write the DOT language of Graphviz."),
)
def tournament(
    given: Input, *, deadline: Deadline, graphml: Path | None, dot: Path | None
) -> Answer:
    """Show who beats whom, the winners, and Condorcet cycles.

    \b
        rankagg tournament election.soc
        rankagg tournament scores.csv --dot graph.dot
    """
    from rankagg.core import amount

    graph = ra.TournamentGraph(given.evidence.votes)

    def told(rows: int | None) -> str:
        arcs = graph.arcs()
        if not len(arcs):
            return graph.summary()
        table = rows_told(arcs, rows, "majority", index=False, float_format=amount)
        return f"{graph.summary()}\n\n{table}"

    def drawn() -> Any:
        exact = ra.Kemeny().aggregate(graph.votes, deadline=deadline)
        if exact.interrupted:
            raise KeyboardInterrupt
        borda = ra.Borda().aggregate(graph.votes)
        return graph.plot(ranking=exact, against=borda)

    return Answer(
        result=graph,
        text=told,
        plot=drawn,
        files=[
            (graphml, graph.write_graphml),
            (dot, lambda path: write_text(path, graph.to_dot())),
        ],
    )


@command(
    data(whole=True),
    RULE,
    several(
        "--keep",
        "ITEM",
        f"An item to keep. Default: all, which are at most {MOST_ITEMS_BY_HAND}.",
        "items",
    ),
    choice(
        "--tie-breaking",
        ["together", "parallel", "order", "refuse"],
        "Items that tie for going out: all go together, every way is followed in parallel, "
        "the last in order goes, or none. Ranked pairs: equal majorities on a cycle are left "
        "out together, or followed in every order.",
    ),
    Option(
        "-o",
        "--out",
        type=FILE,
        help="Write the steps here: .txt, a page of HTML (.html), or sections for LaTeX (.tex).",
    ),
    output("rows of a table", plot="the costs of all orders of at most four items"),
)
def steps(
    given: Input,
    *,
    name: str,
    items: Sequence[str],
    tie_breaking: str | None,
    out: Path | None,
    output: Output,
) -> Answer:
    """Show how a rule reaches its answer, in tables, by steps.

    \b
        rankagg steps election.soc --rule instant-runoff --tie-breaking parallel
        rankagg steps --dataset tennessee --rule kemeny -o steps.html
        rankagg steps scores.csv --rule borda --keep BERT --keep GPT --keep T5

    The steps come from the definition of the rule, and are compared with what it returns. A page
    of HTML has a picture of all orders where there are at most four items.
    """
    from rankagg.core import counted

    form = None if out is None else ENDINGS.get(out.suffix.lower())
    if out is not None and form is None:
        allowed = "a name that ends in .txt for text, .html or .htm for HTML, or .tex for LaTeX"
        raise InvalidInputError("--out", allowed, str(out))
    rule = make(name)
    if tie_breaking is not None:
        if not hasattr(rule, "tie_breaking"):
            raise click.UsageError(
                "--tie-breaking is for instant-runoff, coombs and baldwin, which take items out, "
                "and for ranked-pairs."
            )
        rule = replace(cast(Any, rule), tie_breaking=tie_breaking)  # the rule says what it knows
    data = _kept(given, items)
    n_items = len(replace(given, data=data).evidence.items)
    if n_items > MOST_ITEMS_BY_HAND:
        raise click.UsageError(
            f"{given.name} has {counted(n_items, 'item')}, and steps are shown for at most "
            f"{MOST_ITEMS_BY_HAND}: --keep ITEM, given several times, takes some of them."
        )
    found = ra.teaching.show_steps(rule, data, tolerance=given.tolerance)

    def written() -> str:
        if form == "latex":
            return found.to_latex_sections()
        if form == "html":
            from rankagg.report.steps_page import steps_page

            return steps_page(found)
        return found.summary(rows=output.rows) + "\n"

    return Answer(
        result=found,
        text=lambda rows: f"wrote: {out}" if out else f"\n{found.summary(rows=rows)}",
        plot=found.plot,
        files=[(out, lambda path: write_text(path, written()))],
    )


def _kept(given: Input, names: Sequence[str]) -> Any:
    """Return the data with the named items alone."""
    data = given.data
    if not names:
        return data
    if isinstance(data, ra.PairwiseMatrix):
        raise click.UsageError("--keep needs scores, rankings or comparisons, not votes alone.")
    items = given.evidence.items
    kept = labels_of("--keep", dict.fromkeys(names), items, "item")
    if isinstance(data, ra.ScoreTable):
        return data.drop(systems=[item for item in items if item not in kept])
    return data.restrict(kept)
