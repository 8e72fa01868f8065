"""Commands that rank: by rules, in elections, exactly, with proofs and explanations."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import click

import rankagg as ra
from rankagg.check_certificate import SECONDS
from rankagg.cli import options as opt
from rankagg.cli.command import (
    Answer,
    Output,
    command,
    first_rows,
    options_named,
    output,
    write_json,
)
from rankagg.cli.data import DASH, NAME, buffered, data, two_tables
from rankagg.cli.rules import (
    EXACTLY,
    NAMED,
    RULE,
    SURPLUSES,
    ExactOptions,
    election_rule,
    exit_code,
    made,
    rules_to,
    time_limit,
)
from rankagg.exceptions import DataFormatError, InvalidInputError, VerificationError
from rankagg.io.output_files import write_text

if TYPE_CHECKING:
    from rankagg._typing import Label
    from rankagg.aggregation import Deadline
    from rankagg.cli.data import Input
    from rankagg.core import ItemSet

_CONSTRAINTS = opt.grouped(
    "Constraints",
    opt.several("--above", "ITEM,ITEM", "Rank the first item above the second."),
    opt.Option("--above-all", metavar="ITEM,...", help="Rank these items above all others."),
    opt.Option("--below-all", metavar="ITEM,...", help="Rank these items below all others."),
)


@command(data(), RULE, EXACTLY, output("items", table=True, pasted=True))
def rank(given: Input, *, name: str, exact: ExactOptions) -> Answer:
    """Rank the items by one rule.

    \b
        rankagg rank scores.csv --rule borda
        rankagg rank scores.csv --lower perplexity --csv ranks.csv
        rankagg rank election.soi --unranked ignore
    """
    (rule,) = exact.rules(made([name]))
    deadline = exact.until(given, [rule])
    consensus = rule.aggregate(given.data, tolerance=given.tolerance, deadline=deadline)
    return Answer(result=consensus, code=exit_code([consensus]))


@command(
    data(whole=True, ballots=True),
    opt.Option(
        "--seats",
        type=opt.Whole(1, 10**6),
        help="Number of seats; default: the number in a BLT file, or 1.",
    ),
    opt.choice(
        "--counting",
        ["irv", "coombs", "baldwin", "nanson", *SURPLUSES],
        "Method: instant runoff (irv, default for one seat), another rule by rounds, or STV as "
        "in Scotland (default for more seats) or by Meek.",
    ),
    opt.choice("--quota", ["droop", "hare"], "Votes that elect under STV; default: droop."),
    opt.choice(
        "--tie-breaking",
        ["order", "lot", "together", "refuse"],
        "Break ties by the order of the items (default) or by lot (--seed), eliminate all "
        "together (irv, coombs, baldwin), or refuse them.",
    ),
    opt.TIE_ORDER,
    opt.seed("lots"),
    opt.Option(
        "--ballots", type=opt.FILE, help="Also write the ballots read, as .blt, .soi, .toi or .csv."
    ),
    output("candidates", table=True, pasted=True),
)
def count(
    given: Input, *, seats: int | None, rng: int, ballots: Path | None, **options: Any
) -> Answer:
    """Count an election round by round, by instant runoff or STV.

    \b
        rankagg count votes.csv --format cast-votes --csv rounds.csv
        rankagg count election.soi --counting coombs
        rankagg count election.soi --seats 3 --counting meek --tie-order Bob,Ann

    Prints the candidates elected, the votes of each round (or last places, or points), exhausted
    ballots, and the margin of the last round. Candidates that a ballot leaves out are below all
    that it lists.
    """
    rule, lines = election_rule(given, seats, **options), given.lines
    if given.seats and given.seats != 1:
        filled = f"; --seats fills {seats}" if seats else ", all filled"
        lines = (*lines, f"seats: {given.seats} stated in {given.name}{filled}")
    if options["tie_breaking"] == "lot":
        lines = (*lines, f"lots: drawn by --seed {rng}")
    with options_named({"target": "--ballots"}):
        counted = rule.count(given.data, rng=rng)
        if ballots is not None:
            number = getattr(rule, "seats", 1)
            ra.io.write_ballots(given.data, ballots, title=given.title, seats=number)
    return Answer(result=counted, lines=lines)


@command(
    data(),
    rules_to("compare"),
    EXACTLY,
    output("items and pairs", table=True, pasted=True, plot="the ranks by each rule"),
    opt.seed("random rules"),
)
def compare(
    given: Input, *, names: Sequence[str], exact: ExactOptions, output: Output, rng: int
) -> Answer:
    """Compare the rankings of mean, Borda, Copeland and exact Kemeny.

    \b
        rankagg compare scores.csv --lower perplexity --drop Score
        rankagg compare long.csv --task task --instance k --score value
        rankagg compare election.soi --rule borda --rule kemeny

    Prints for each rule its cost (the number of votes that its ranking contradicts), the excess
    over the proved optimum, and the pairs on which it disagrees. Without --rule it compares all
    rules that suit the data: the mean for scores, Borda, two-level Borda for scores of instances,
    Copeland, and Kemeny. If there are several optima, it prints their number and the distances to
    the nearest and the farthest.

    A table of scores has a row for each system and a column for each task; higher is better except
    on the tasks of --lower. FILE may hold sums of `rankagg scan`.
    """
    rules = exact.chosen(names, given)
    deadline = exact.until(given, rules)
    # Half of the time is for the other optima.
    limit = deadline.share(2).time_limit
    comparison = ra.compare(given.evidence, rules, time_limit=limit, rng=rng)
    others = comparison.alternatives(deadline) if output.is_text else None
    return Answer(
        result=comparison,
        text=lambda rows: comparison.text(rows, optima=others),
        plot=comparison.plot,
        code=exit_code(comparison.consensuses, others),
    )


@command(
    two_tables(),
    RULE,
    opt.alpha("Family-wise error rate of decided pairs"),
    output("systems and pairs", table=True, pasted=True),
)
def changes(given: Input, *, name: str, alpha: float) -> Answer:
    """Explain how the ranking changed between two tables of scores.

    \b
        rankagg changes may.csv june.csv
        rankagg changes may.csv june.csv --lower perplexity --rule borda
        rankagg changes may.csv june.csv --csv moved.csv

    OLD and NEW are tables of scores, read with the same options. For each system in both tables,
    prints its old and new ranks, and the number of places due to removed and new systems, to
    changed scores of its own or of others, and to tasks. For each pair that changed places, states
    whether its order is decided in NEW, by a paired test corrected for all pairs.
    """
    assert given.before is not None, "two tables are read"
    (rule,) = made([name])
    with options_named({"before": "OLD", "after": "NEW"}):
        found = ra.analysis.compare_tables(given.before, given.data, rule, alpha=alpha)
    return Answer(result=found)


@command(
    data(),
    EXACTLY,
    *_CONSTRAINTS,
    opt.Option(
        "--certificate", type=opt.FILE, help="Write the proof as JSON, for `rankagg verify`."
    ),
    opt.Option("--votes", type=opt.FILE, help="Write the votes of the proof as JSON."),
    opt.flag("--one", help="Skip the search for other optima."),
    output(table=True, plot="pairwise votes in consensus order"),
)
def solve(
    given: Input,
    *,
    exact: ExactOptions,
    certificate: Path | None,
    votes: Path | None,
    one: bool,
    above: Sequence[str],
    above_all: str | None,
    below_all: str | None,
) -> Answer:
    """Find and prove the exact Kemeny consensus, and count the optima.

    \b
        rankagg solve election.soc --certificate proof.json
        rankagg solve matrix.lop --time-limit 60
        rankagg solve election.soc --above A,B --below-all Z

    FILE may be a table of scores, ballots, or a linear ordering matrix (the number n, then n x n
    numbers, row above column).
    """
    from rankagg.analysis.comparison.agreement import Alternatives

    evidence = given.evidence
    constraints = _constraints_of(evidence.items, above, above_all, below_all)
    if constraints and exact.consensus_ties:
        raise click.UsageError("--consensus-ties excludes constraints: leave one of both out.")
    (rule,) = exact.rules([ra.Kemeny(constraints=constraints)])
    deadline = exact.until(given, [rule])
    consensus = rule.aggregate(evidence, deadline=deadline.share(1 if one else 2))
    optima = None if one or not consensus.is_proved else consensus.optima
    known = None if optima is None else Alternatives.of(optima, deadline)
    lines = [] if known is None else [f"optima       {known.summary()}"]
    if given.holds_pairs and rule.is_strict:
        total = consensus.pairwise.wins.sum() - consensus.cost
        lines.insert(0, f"sum above the diagonal in the order found: {total:.12g}")

    def plain() -> dict[str, Any]:
        if known is None or optima is None:
            return {**consensus.to_dict(), "optima": None}
        found = known.is_unique is not None
        facts = {
            "text": known.summary(),
            "is_unique": known.is_unique,
            "count": known.count if found else None,
            # None if time ran out.
            "undecided_pairs": optima.n_undecided_pairs if found else None,
            "blocks": [list(block) for block in optima.blocks] if found else None,
        }
        return {**consensus.to_dict(), "optima": facts}

    proof: Any = consensus.certificate
    return Answer(
        result=consensus,
        data=plain,
        text=lambda rows: "\n".join([*lines, consensus.summary(rows=None)]),
        plot=lambda: ra.plotting.pairwise_heatmap(consensus.pairwise, consensus),
        files=[
            (certificate if proof else None, lambda path: write_json(proof.to_dict(), path)),
            (votes, lambda path: ra.io.write_votes(consensus.pairwise, path)),
        ],
        code=exit_code([consensus], known),
    )


def _constraints_of(
    items: ItemSet, above: Sequence[str], first: str | None, last: str | None
) -> ra.Constraints | None:
    """Return the constraints of the options, or None without any."""
    if not (above or first or last):
        return None

    pairs: list[tuple[Label, Label]] = []
    for text in above:
        pair = opt.names_in("--above", text, items)
        if len(pair) != 2 or pair[0] == pair[1]:
            raise InvalidInputError("--above", "ITEM,ITEM, two different items", text)
        pairs.append((pair[0], pair[1]))
    with options_named({"first": "--above-all", "last": "--below-all"}):
        return ra.Constraints(
            above=pairs,
            first=opt.names_in("--above-all", first, items),
            last=opt.names_in("--below-all", last, items),
        )


@command(
    click.Argument(["certificate"], type=click.Path(dir_okay=False, path_type=Path)),
    data(),
    opt.Option(
        "--time-limit", type=opt.TIME, default=SECONDS, help="Time for reading and checking."
    ),
)
def verify(given: Input, *, certificate: Path, time_limit: float) -> Answer:
    """Check a certificate of optimality against the votes.

    \b
        rankagg solve election.soc --certificate proof.json
        rankagg verify proof.json election.soc
        rankagg verify proof.json votes.json

    CERTIFICATE is a file of `solve --certificate`. The check recomputes everything in integers,
    without a solver. It needs the data and options that the certificate was made with, and rejects
    other votes. The exit code is 0 if the proof holds, 1 if it does not, and 3 if the limits of
    time and memory are too small. `solve --votes` writes votes as JSON.
    """
    from rankagg.core import amount, counted
    from rankagg.io.tables.sources import parse_json, read_text

    votes = given.evidence.votes
    if str(certificate) == DASH and given.name == NAME:
        raise click.UsageError("Give `-` for CERTIFICATE or for FILE, not for both.")
    with options_named({"source": "CERTIFICATE"}), buffered((str(certificate),)) as (path,):
        name, text = read_text(path)
    try:
        plain = parse_json(text, name)
        schema = plain.get("schema") if isinstance(plain, dict) else None
        kind = ra.TiedCertificate if schema == "rankagg.weak_certificate" else ra.Certificate
        proof = kind.from_dict(plain)
        left = max(0.0, time_limit - (monotonic() - given.began))
        proof.verify(_named_as(proof.items, votes), time_limit=left)
    except (DataFormatError, VerificationError) as error:
        raise VerificationError(f"{name} is no valid proof for these votes. {error}") from None

    def in_votes(number: Fraction) -> str:
        text = amount(float(number))
        about = "" if Fraction(text.replace(",", "")) == number else "about "
        return f"{about}{counted(text, 'vote')}"

    prices, none = f"a tied vote costs {float(proof.tie_cost):g}", "none"
    if not isinstance(proof, ra.Certificate):
        prices += f", a vote on a tied pair {float(proof.consensus_tie_cost):g}"
    elif proof.demands:
        kept = "; ".join(one.words(votes.items) for one in proof.demands.parts)
        none = f"none under its constraints ({kept})"
    cost = in_votes(Fraction(proof.scaled_cost, proof.denominator))
    this = f"the ranking {proof.ranking.to_text()} costs {cost} ({prices})"
    finding = f"The proof holds: {this}, and {none} costs less"
    if proof.status != "optimal":
        bound = in_votes(Fraction(proof.scaled_lower_bound, proof.denominator))
        finding = f"The bound holds: {this}, and {none} less than {bound}"
    slack = f", all to within {in_votes(proof.tolerance)}" if proof.tolerance else ""
    return Answer(lines=(), text=lambda rows: f"{finding}{slack}.")


def _named_as(items: Sequence[Label], votes: ra.PairwiseMatrix) -> ra.PairwiseMatrix:
    """Return votes with the labels of a certificate, numbers instead of text."""
    from rankagg.core import ItemSet

    if tuple(votes.items) == tuple(items) or [*map(str, votes.items)] != [*map(str, items)]:
        return votes
    wins, ties, denominator = votes.lowest_terms
    return ra.PairwiseMatrix(
        items=ItemSet(items), wins=wins, ties=ties, denominator=denominator, rounding=votes.rounding
    )


@command(
    data(),
    opt.Option(
        "--pair", nargs=2, required=True, metavar="ITEM ITEM", help="Two items, in any order."
    ),
    opt.Option(
        "--rule",
        metavar="RULE",
        type=NAMED,
        help="Rule to rank by; default: ratings for battles, else kemeny.",
    ),
    EXACTLY,
    output(),
)
def explain(given: Input, *, pair: Sequence[str], rule: Any, exact: ExactOptions) -> Answer:
    """Explain why one item is ranked above another.

    \b
        rankagg explain scores.csv --pair BERT GPT --rule borda
        rankagg explain battles.csv --cluster judge --pair BERT GPT
        rankagg explain --dataset borda_fails_condorcet --pair A B
    """
    from rankagg.report.page import kind_of

    rated = kind_of(given.data).leader() if rule is None else None
    (rule,) = exact.rules([rated] if rated else made([rule or "kemeny"]))
    evidence = given.evidence
    first, second = opt.two_items(pair, evidence.items)
    deadline = exact.until(given, [rule])
    consensus = rule.aggregate(evidence, deadline=deadline.share(2))
    found = ra.explain(consensus, first, second, time_limit=deadline.time_limit)
    return Answer(result=found, code=exit_code([consensus], found))


@command(
    data(),
    time_limit("the exact consensus of --plot"),
    output(
        "majorities", plot="majorities, marked where the exact consensus or Borda contradicts them,"
    ),
    opt.Option("--dot", type=opt.FILE, help="Also write the graph in the DOT language."),
)
def tournament(given: Input, *, deadline: Deadline, output: Output, dot: Path | None) -> Answer:
    """Show pairwise majorities, winners and Condorcet cycles.

    \b
        rankagg tournament election.soc
        rankagg tournament election.soc --plot majorities.svg
        rankagg tournament scores.csv --dot graph.dot
    """
    from rankagg.core import amount

    graph = ra.TournamentGraph(given.evidence.votes)
    exact = ra.Kemeny().aggregate(graph.votes, deadline=deadline) if output.plot else None

    def text(rows: int | None) -> str:
        arcs = graph.arcs()
        if not len(arcs):
            return graph.summary()
        table = first_rows(arcs, rows, "majority", index=False, float_format=amount)
        return f"{graph.summary()}\n\n{table}"

    return Answer(
        result=graph,
        text=text,
        plot=lambda: graph.plot(ranking=exact, against=ra.Borda().aggregate(graph.votes)),
        files=[(dot, lambda path: write_text(path, graph.to_dot()))],
        code=exit_code([exact] if exact else []),
    )
