"""What figures and tables of the page hold, compared with the data of a `Page`."""

from fractions import Fraction
from itertools import pairwise, permutations

import numpy as np
import pytest

from rankagg.inference import robust_rank_aggregation
from rankagg.report import chapters_result
from rankagg.report.chapters_data import missing_data, without_tasks
from rankagg.report.chapters_result import majorities, methods, neighbors
from rankagg.report.first_screen import first_screen
from tests import oracles
from tests.sentences import definitions as true
from tests.sentences.definitions import HALF


def map_of_pairs(case):
    """Hold the shares on the map, their colors and what is outlined."""
    names, order = case.plain.items, case.drawn()[: chapters_result.MOST_IN_MAP]
    rows = chapters_result._pair_map(case.findings).rows
    assert [(row.place, row.name) for row in rows] == [(case.place(i), names[i]) for i in order]
    for i, row in zip(order, rows, strict=True):
        for j, cell in zip(order, row.cells, strict=True):
            share = None if i == j else case.share(i, j)
            if share is None:
                assert cell.text == ""
                continue
            assert is_per_cent(cell.text, share)
            side = "l" * (share < HALF) + "w" * (share >= HALF)
            assert cell.step.startswith(side)
            assert abs(int(cell.step[1:]) - abs(16 * share - 8)) <= (1 if share != HALF else 0)
            above = case.ranks is not None and case.ranks.decisions.above[i, j]
            assert cell.is_decided == above


def is_per_cent(text, share):
    """Say whether a text is a share in whole per cent; 0, 50 and 100 are for exact values only."""
    extremes = ((int(text) == extreme) == (100 * share == extreme) for extreme in (0, 50, 100))
    return (
        abs(int(text) - 100 * share) < 1 and (int(text) > 50) == (2 * share > 1) and all(extremes)
    )


def ranking(case):
    """Hold places, intervals and scores of the first figure, and the positions of its marks."""
    n, found = case.plain.n, first_screen(case.findings)
    headings = dict(zip(found.headings, range(9), strict=False))
    has_means = "Mean score" in headings
    rate = headings.get("Mean score", headings.get("Win rate", headings.get("Votes won")))
    is_lower = has_means and not any(case.plain.data.higher_is_better.values())
    for k, row in zip(case.drawn(), found.rows, strict=True):
        place = case.place(k)
        # Those who tie for the seat of an election share the first place.
        assert place == 1 or case.findings.kind.name != "election" or k not in case.winners()
        assert (row.place, row.position, row.name) == (place, k, case.plain.items[k])
        shares = [case.share(k, j) for j in range(n) if j != k]
        present = [share for share in shares if share is not None]
        score = won = sum(present) / len(present) if present else None
        if has_means:
            score = true.mean(case.plain, k)
            score = -score if score is not None and is_lower else score
        if rate is not None:
            is_printed(row.numbers[rate], score if has_means or score is None else 100 * score)
        if found.drawing.key[0][2].startswith("place"):
            assert row.strip.at == pytest.approx(100 * (place - 0.5) / n)
            best, worst = case.ranks.best[k], case.ranks.worst[k]
            assert row.interval == (f"{best}" if best == worst else f"{best}\N{EN DASH}{worst}")
            bar = [100 * (rank - 0.5) / n for rank in (best, worst)]
            assert row.strip.bar == pytest.approx(bar)
            assert (row.strip.mark == "outside") == (not best <= place <= worst)
        elif found.drawing.key[0][2].startswith("share") and won is not None:
            assert row.strip.at == pytest.approx(float(2 + 96 * won))
        if "Lists" in headings:
            assert int(row.numbers[headings["Lists"]]) == case.lists_with(k)
            ranks = sorted({b.places[k] for b in case.plain.ballots} - {None})
            longest = max(case.named())
            assert row.strip.strokes == pytest.approx([100 * (r + 0.5) / longest for r in ranks])
        if "Last round" in headings:
            rounds = [votes[k] for votes, _ in case.rounds() if k in votes]
            assert row.numbers == (str(rounds[0]), str(rounds[-1]))
            shares = [
                2 + 96 * votes / len(case.plain.ballots) for votes in (0, rounds[0], rounds[-1])
            ]
            assert (*row.strip.bar, row.strip.at) == pytest.approx(shares)


def is_printed(text, number):
    """Hold a printed number, which may be a dash, against the true one."""
    printed = text.replace("\N{MINUS SIGN}", "-").removesuffix(" %")
    assert (printed == "\N{EN DASH}") == (number is None)
    if number is not None:
        size, _, exponent = printed.partition("e")
        last = Fraction(10) ** (int(exponent or 0) - len(size.partition(".")[2]))
        assert abs(Fraction(printed) - number) <= last * Fraction(51, 100)


def ratings(case):
    """Compare ratings with their errors with the fit, which has an oracle of its own."""
    fit = getattr(case.findings.lead.rule, "fit", None)
    if fit is None:
        return
    (column, *_) = case.findings.kind.columns(case.findings)
    elo = 1500 + 400 / np.log(10) * fit.log_worths
    errors = elo_of(case)["upper"].to_numpy() - elo
    for text, rating, error in zip(column.texts, elo, errors, strict=True):
        numbers = [float(number) for number in text.replace(",", "").split(" \N{PLUS-MINUS SIGN} ")]
        # What varies too little for an error has a rating alone.
        known = [rating] if np.isnan(error) else [rating, error]
        assert numbers == pytest.approx(known, abs=0.51)


def elo_of(case):
    """Return ratings with their intervals, in the order of the items."""
    fit = case.findings.lead.rule.fit
    return fit.elo(alpha=case.findings.alpha).reindex(list(case.plain.items))


def chart_of_ranks(case):
    """Hold the ranks at both ends of the lines, their heights, and which bars join ties."""
    found, order = (
        chapters_result._flow_chart(case.findings),
        case.drawn()[: chapters_result.MOST_LINES],
    )
    ranks = {case.plain.items[k]: case.ranks_by_each(k) for k in order}
    lines = {line.left.partition(" ")[0]: line for line in found.lines}
    assert set(lines) == set(ranks)
    for name, line in lines.items():
        ends = ["\N{EN DASH}" if r == case.plain.n else f"{r + 1}" for r in ranks[name]]
        assert (line.left, line.right) == (
            f"{name} \N{EN SPACE}{ends[0]}", f"{ends[-1]} \N{EN SPACE}{name}"
        )  # fmt: skip
        is_colored = line.look != "quiet"
        assert not is_colored or max(line.heights) > min(line.heights)
    bars = []
    for at, (x, _) in enumerate(found.methods):
        for one, two in permutations(ranks, 2):
            if ranks[one][at] < ranks[two][at]:
                assert lines[one].heights[at] < lines[two].heights[at]
        for rank in {each[at] for each in ranks.values()} - {case.plain.n}:
            tied = [lines[name].heights[at] for name in ranks if ranks[name][at] == rank]
            bars += [(x, min(tied), max(tied))] * (len(tied) > 1)
    assert sorted(bars) == sorted(found.ties)
    assert len([line for line in found.lines if line.look != "quiet"]) == len(case.moves())


# -- tables ---------------------------------------------------------------------------------------


def tables(case):
    """Hold the numbers of tables, row by row, and return the captions of those that were held."""
    found = {}
    sections = [missing_data, methods]
    if case.plain.n > 1:
        sections += [neighbors, majorities, without_tasks]
    chapters = [section(case.findings) for section in sections]
    chapters += case.findings.kind.opening(case.findings) if case.plain.n > 1 else []
    for section in chapters:
        for part in section.parts:
            if part.kind in ("table", "folded"):
                table = part.content if part.kind == "table" else part.content[1]
                found[table.caption] = table
    held = set()
    for table in found.values():
        hold_looks(case, table)
    for caption in found.keys() & TABLES.keys():
        names = [column.name for column in found[caption].columns]
        for row in found[caption].rows:
            known = TABLES[caption](case, *(cell.text for cell in row if cell.key is None))
            values = dict(zip(names, (cell.key for cell in row), strict=True))
            assert known.keys() <= values.keys()
            for name, value in known.items():
                held.add(caption)
                # What is not known sorts behind all numbers.
                expected = np.inf if np.isnan(float(value)) else float(value)
                assert values[name] == pytest.approx(expected, rel=1e-9, abs=1e-9), (name, row)
    return held


def hold_looks(case, table):
    """Hold what is bold, and how long bars are, against the numbers of their column."""
    for column, cells in zip(table.columns, zip(*table.rows, strict=True), strict=True):
        if column.look == "bar":
            top = max(*(cell.key for cell in cells), 1)
            assert [cell.bar for cell in cells] == pytest.approx([100 * c.key / top for c in cells])
        if "bold" in table.caption and column.name in case.plain.data.tasks:
            is_higher = case.plain.data.higher_is_better[column.name]
            best = (max if is_higher else min)(c.key for c in cells if c.key != float("inf"))
            assert [cell.is_best for cell in cells] == [cell.key == best for cell in cells]


def closest_pair(case):
    """Hold who is closest to the winner of a count, and which way."""
    for section in case.findings.kind.opening(case.findings) if case.plain.n > 1 else []:
        for part in section.parts if section.name == "count" else []:
            if part.kind == "facts" and len(case.winners()) == 1:
                first, *others = case.drawn()
                closest = min(others, key=lambda k: abs(case.lead(first, k)))
                way = "ahead of" if case.lead(first, closest) >= 0 else "behind"
                assert str(part.content[-1][1]).endswith(f"{way} {case.plain.items[closest]}")


def missing_of_item(case, item, *_):
    k = case.plain.items.index(item)
    there = sum(ballot.places[k] is not None for ballot in case.plain.ballots)
    gone = len(case.plain.ballots) - there
    others = sum(
        any(b.has(k, j) for b in case.plain.ballots) for j in range(case.plain.n) if j != k
    )
    share = Fraction(gone, there + gone)
    return {"observed": there, "missing": gone, "share": share, "compared with": others}


def missing_of_task(case, task):
    places = [b.places for b in case.plain.ballots if b.task == task]
    gone = sum(place is None for each in places for place in each)
    return {"missing": gone, "share": Fraction(gone, len(places) * case.plain.n)}


def against_majority(case, above, below):
    i, j = map(case.plain.items.index, (above, below))
    vote = case.findings.kind.words.vote
    return {f"{vote}s for": case.wins[i][j], f"{vote}s against": case.wins[j][i]}


def cost_of_method(case, method):
    votes = case.findings.comparison
    ranks = votes[method].ranking.ranks
    places = tuple(None if rank < 0 else int(rank) for rank in ranks)
    cost = oracles.cost(places, case.wins)
    return {"cost": cost, "excess": cost - case.least}


def without_one(case, name, *_):
    if case.plain.tasks == [None]:
        return {}
    rows = true.copy_without(case.plain, name)
    known = case.left()
    (one, *more), (whole, *others) = known.best(rows), case.orders
    if more or others:
        return {}
    return {"pairs changed": sum((one[i] < one[j]) != (whole[i] < whole[j])
                                 for i, j in case.plain.pairs)}  # fmt: skip


def won_by_neighbor(case, item, behind, *_):
    j, i = map(case.plain.items.index, (item, behind))
    wins, ties = case.wins, case.ties
    word, *_ = case.findings.kind.duels(case.findings)
    cells = {f"{word}s lost": wins[i][j], f"{word}s won": wins[j][i]}
    if any(any(row) for row in ties):
        cells[f"{word}s tied"] = ties[i][j]
    return cells


def scores_of_system(case, system):
    k = case.plain.items.index(system)
    signs = case.plain.data.higher_is_better
    each = zip(signs.items(), case.plain.scores[k] if case.plain.scores else (), strict=False)
    return {
        task: float("inf") if score is None else score * (1 if up else -1)
        for (task, up), score in each
    }


def ranks_in_lists(case, item):
    k = case.plain.items.index(item)
    ranks = [b.places[k] + 1 for b in case.plain.ballots if b.places[k] is not None]
    summary = {"best": min(ranks), "median": np.median(ranks), "worst": max(ranks)} if ranks else {}
    return {"lists": len(ranks), **summary, "p-value": robust_rank_aggregation(case.data).p_holm[k]}


def votes_by_rounds(case, candidate, outcome=None):
    rounds = case.rounds()
    if candidate == "exhausted":
        return {f"round {k}": lost for k, (_, lost) in enumerate(rounds, 1)}
    at = case.plain.items.index(candidate)
    cells = {f"round {k}": votes.get(at) for k, (votes, _) in enumerate(rounds, 1)}
    last = max(k for k, (votes, _) in enumerate(rounds, 1) if at in votes)
    has_won = at == max(rounds[-1][0], key=lambda k: (rounds[-1][0][k], -k))
    result, _, way = outcome.partition(", ")
    assert result == f"{'elected' if has_won else 'eliminated'} in round {last}"
    least = [k for k, votes in rounds[last - 1][0].items() if votes == cells[f"round {last}"]]
    assert not way or ((len(least) > 1 or has_won) and way == "by the order of the data")
    return {name: float("inf") if votes is None else votes for name, votes in cells.items()}


def added_by_rounds(case, candidate, *texts):
    votes = list(votes_by_rounds(case, candidate, *texts).values())
    # Who went has no votes any more, and then there is nothing to say.
    some = [0 if number == float("inf") else number for number in votes]
    changes = [
        b - a if votes[k] < float("inf") else votes[k] for k, (a, b) in enumerate(pairwise(some))
    ]
    return {f"round {k}": change for k, change in enumerate(changes, 2)}


def battles_of_item(case, item):
    k = case.plain.items.index(item)
    wins, ties = sum(case.wins[k]), sum(case.ties[k])
    fights = wins + ties + sum(row[k] for row in case.wins)
    shares = [case.share(k, j) for j in range(case.plain.n) if j != k]
    won = [share for share in shares if share is not None]
    cells = {"wins": wins, "ties": ties, "battles": fights, "win rate": sum(won) / len(won)}
    elo = elo_of(case).loc[item]
    return cells | {"rating": elo["elo"], "lower": elo["lower"], "upper": elo["upper"]}


TABLES = {
    "Neighbors in the order of the page": won_by_neighbor,
    "Scores by task; the best of each in bold": scores_of_system,
    "Number of lists that name an item, and its ranks in them": ranks_in_lists,
    "Votes by rounds": votes_by_rounds,
    "Votes that each round adds": added_by_rounds,
    "Ratings, the highest first; win rates are means over opponents, not battles": battles_of_item,
    "Items with missing cells, the most missing first": missing_of_item,
    "Tasks with missing cells, the most missing first": missing_of_task,
    "Majorities against the order of the page, the largest first": against_majority,
    "Cost relative to the optimum": cost_of_method,
    "The exact consensus without one of them, the largest change first": without_one,
}
