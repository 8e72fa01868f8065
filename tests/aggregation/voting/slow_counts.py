"""Counts of elections paper by paper, as a returning officer would.

A paper is a list of candidates by number, best first. Ties go by the order of the candidates: the
first one passes on its surplus, the last one is eliminated.
"""

from fractions import Fraction
from math import ceil


def next_of(paper, stays):
    return next((candidate for candidate in paper if candidate in stays), None)


def last_difference(tied, sheets, pick):
    for sheet in reversed(sheets):
        edge = pick(sheet[candidate] for candidate in tied)
        tied = [candidate for candidate in tied if sheet[candidate] == edge]
    return tied[0] if pick is max else tied[-1]


def scottish(papers, n, seats):
    """Return who is elected, and the sheet of votes of every stage, by rules 45 to 52."""
    papers = [paper for paper in papers if paper]
    quota = len(papers) // (seats + 1) + 1
    piles = {candidate: [] for candidate in range(n)}
    for paper in papers:
        piles[paper[0]].append([paper, Fraction(1)])
    continuing, elected, waiting, done, sheets = list(range(n)), [], [], [], []
    while True:
        sheet = {c: sum((value for _, value in piles[c]), Fraction(0)) for c in range(n)}
        sheet |= dict.fromkeys(done, Fraction(quota))
        if len(continuing) <= seats - len(elected):
            now = list(continuing)
        else:
            now = [c for c in continuing if sheet[c] >= quota]
        now.sort(key=lambda c: -sheet[c])
        elected += now
        continuing = [c for c in continuing if c not in now]
        waiting += [c for c in now if sheet[c] > quota]
        sheets.append(sheet)
        if len(elected) == seats:
            return elected, sheets
        if waiting:
            most = max(sheet[c] for c in waiting)
            source = last_difference([c for c in waiting if sheet[c] == most], sheets[:-1], max)
            waiting.remove(source)
            done.append(source)
            for pile in piles[source]:
                exact = pile[1] * (sheet[source] - quota) / sheet[source]
                pile[1] = Fraction(int(exact * 100_000), 100_000)
        else:
            least = min(sheet[c] for c in continuing)
            source = last_difference([c for c in continuing if sheet[c] == least], sheets[:-1], min)
            continuing.remove(source)
            if len(continuing) == seats - len(elected):
                elected += sorted(continuing, key=lambda c: -sheet[c])
                return elected, sheets
        moved, piles[source] = piles[source], []
        for paper, value in moved:
            goes_to = next_of(paper, continuing)
            if goes_to is not None:
                piles[goes_to].append([paper, value])


def up(number):
    """Return a number with nine decimals, rounded up."""
    return Fraction(ceil(number * 10**9), 10**9)


def meek(papers, n, seats):
    """Return who is elected, and the votes of every round, by the steps of the reference rule."""
    keep = dict.fromkeys(range(n), Fraction(1))
    hopeful, elected, sheets = list(range(n)), [], []
    while len(hopeful) > seats - len(elected) > 0:
        before = Fraction(len(papers))
        while True:
            votes = dict.fromkeys(range(n), Fraction(0))
            for paper in papers:
                weight = Fraction(1)
                for candidate in paper:
                    kept = up(weight * keep[candidate])
                    votes[candidate] += kept
                    weight -= kept
            whole = sum(votes.values()) / (seats + 1)
            quota = Fraction(int(whole * 10**9) + 1, 10**9)
            now = sorted((c for c in hopeful if votes[c] >= quota), key=lambda c: -votes[c])
            elected += now
            hopeful = [c for c in hopeful if c not in now]
            surplus = max(sum(votes[c] - quota for c in elected), Fraction(0))
            if now or surplus < Fraction(1, 10**6) or surplus >= before:
                break
            before = surplus
            for c in elected:
                keep[c] = up(up(keep[c] * quota) / votes[c])
        sheets.append(votes)
        if not now:
            least = min(votes[c] for c in hopeful)
            out = [c for c in hopeful if votes[c] <= least + surplus][-1]
            hopeful.remove(out)
            keep[out] = Fraction(0)
            if len(hopeful) == seats - len(elected):
                elected += sorted(hopeful, key=lambda c: -votes[c])
    if not sheets:
        sheets = [{c: Fraction(sum(p[:1] == [c] for p in papers)) for c in range(n)}]
        elected = sorted(hopeful, key=lambda c: -sheets[0][c])
    return elected, sheets


def instant_runoff(papers, n):
    """Return who wins, and the votes of every round; all who tie for least go, but not all."""
    inside, sheets = list(range(n)), []
    while len(inside) > 1 or not sheets:
        sheet = dict.fromkeys(inside, 0)
        for paper in papers:
            first = next_of(paper, inside)
            if first is not None:
                sheet[first] += 1
        sheets.append(sheet)
        stay = [c for c in inside if sheet[c] > min(sheet.values())]
        if not stay:
            break
        inside = stay
    return inside, sheets


def places_of(paper, inside):
    """Return the place of everyone who remains; the unlisted are last together."""
    return {c: paper.index(c) if c in paper else len(paper) for c in inside}


def end_places(papers, inside, edge):
    sheet = dict.fromkeys(inside, Fraction(0))
    for paper in papers:
        places = places_of(paper, inside)
        there = [c for c in inside if places[c] == edge(places.values())]
        for c in there:
            sheet[c] += Fraction(1, len(there))
    return sheet


def first_places(papers, inside):
    return end_places(papers, inside, min)


def last_places(papers, inside):
    return end_places(papers, inside, max)


def borda_points(papers, inside):
    sheet = dict.fromkeys(inside, Fraction(0))
    for paper in papers:
        places = places_of(paper, inside)
        for c in inside:
            for other in inside:
                if c != other:
                    level = places[c] == places[other]
                    sheet[c] += Fraction(1, 2) if level else places[c] < places[other]
    return sheet


def by_rounds(papers, n, count, outgoing, majority):
    """Return who wins, and the sheet of every round; `outgoing` names who goes out by a sheet."""
    inside, sheets = list(range(n)), []
    while len(inside) > 1 or not sheets:
        sheets.append(count(papers, inside))
        for c in inside if majority else ():
            if 2 * first_places(papers, inside)[c] > len(papers):
                return [c], sheets
        out = outgoing(sheets[-1])
        inside = [c for c in inside if c not in out] or inside
        if len(out) == len(sheets[-1]):
            break
    return inside, sheets


def most(sheet):
    return [c for c in sheet if sheet[c] == max(sheet.values())]


def fewest(sheet):
    return [c for c in sheet if sheet[c] == min(sheet.values())]


def average_or_less(sheet):
    return [c for c in sheet if sheet[c] * len(sheet) <= sum(sheet.values())]
