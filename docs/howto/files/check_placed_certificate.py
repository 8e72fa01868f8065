"""Check a certificate of a list: python check_placed_certificate.py certificate.json votes.json

Written from the specification of both files alone: it needs Python's standard library and
check_certificate.py beside it, which reads JSON and votes, and nothing of the package. It prints
one sentence; the exit code is 0 where the proof holds, and 1 where not.
"""

import sys
from fractions import Fraction
from math import lcm
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from check_certificate import (
    RefusedError,
    fields,
    fingerprint,
    fraction,
    integer,
    integers,
    labels,
    parse,
    read_votes,
    require,
)


class Lists:
    """The lists of one problem: what row above column adds, and the weights of the places."""

    def __init__(self, gain, weights):
        self.gain, self.weights = gain, weights
        self.n, self.k = len(gain), len(weights)

    def exchanges(self):
        """Return for each item those that some best list has above it, all together."""
        items = range(self.n)
        below = [sum(self.gain[z][x] for z in items) for x in items]
        order = sorted(items, key=lambda x: (sum(self.gain[x]), -below[x], x))
        return {y: [x for x in order[:at] if self.better(x, y)] for at, y in enumerate(order)}

    def better(self, x, y):
        gain = self.gain
        return gain[x][y] <= gain[y][x] and all(
            gain[x][z] <= gain[y][z] and gain[z][x] >= gain[z][y]
            for z in range(self.n)
            if z not in (x, y)
        )

    def contenders(self, above):
        """Return the items that may be listed: not below k others, or one that is not listed."""
        is_in = {}
        for y, others in above.items():  # in the order of the keys
            is_in[y] = len(others) < self.k and all(is_in[x] for x in others)
        return [y for y in is_in if is_in[y]]

    def payments(self, left, open_items, rest, number):
        """Return twice the least that each item pays, if `number` of those left are listed next."""
        paid = {}
        for x in left:
            pairs = [max(self.gain[x][y], self.gain[y][x]) for y in open_items if y != x]
            paid[x] = 2 * rest(x) - sum(sorted(pairs, reverse=True)[: number - 1])
        return paid

    def least(self, contenders, used, spent, with_item=None):
        """Return twice what a list costs at least that begins with some items, and has another."""
        left = [x for x in contenders if x not in used]
        behind = [z for z in range(self.n) if z not in used]

        def rest(x):
            return sum(self.gain[x][z] for z in behind)

        total = 2 * spent
        for place in range(len(used) + 1, self.k + 1):
            step = self.weights[place - 1] - (self.weights[place] if place < self.k else 0)
            number = place - len(used)
            if not step:
                continue
            paid = self.payments(left, left, rest, number)
            if with_item is None or place < self.k:
                total += step * sum(sorted(paid.values())[:number])
            else:
                mine = paid.pop(with_item)
                total += step * (mine + sum(sorted(paid.values())[: number - 1]))
        return total

    def cheapest_below(self, target):
        """Return the least cost of a list below a number, or the number where there is none."""
        everybody = list(range(self.n))
        if not self.k or self.least(everybody, (), 0) >= 2 * target:
            return target
        above = self.exchanges()
        open_items = self.contenders(above)
        while len(open_items) >= self.k:
            kept = [x for x in open_items if self.least(open_items, (), 0, x) < 2 * target]
            if kept == open_items:
                break
            open_items = kept
        if len(open_items) < self.k:
            return target
        layer = {frozenset(): 0}
        for weight in self.weights:
            grown = {}
            for used, spent in layer.items():
                for x in open_items:
                    if x in used or any(y in open_items and y not in used for y in above[x]):
                        continue
                    behind = sum(self.gain[x][z] for z in range(self.n) if z not in used)
                    key, cost = used | {x}, spent + weight * behind
                    grown[key] = min(cost, grown.get(key, cost))
            layer = {
                used: spent
                for used, spent in grown.items()
                if self.least(open_items, used, spent) < 2 * target
            }
        return min([target, *layer.values()])


def check(certificate, votes):
    """Return what is proved, in one sentence; raise RefusedError where nothing is."""
    (schema, version, status, stated_cost, stated_bound, tolerance, tie_cost, consensus_tie_cost,
     mark, items, weights, placed, scaled_cost, scaled_bound, denominator) = fields(
        certificate, "schema", "version", "status", "cost", "lower_bound", "tolerance", "tie_cost",
        "consensus_tie_cost", "fingerprint", "items", "weights", "placed", "scaled_cost",
        "scaled_lower_bound", "denominator")  # fmt: skip
    require(schema == "rankagg.placed_certificate", "this is no certificate of a list")
    integer(version, 1, 1)
    names, wins, ties, scale, rounding = read_votes(votes)
    n = len(names)
    require(labels(items) == names, "the items are not those of the votes")
    require(mark == fingerprint(names, wins, ties, scale), "it is for other votes")
    voted, agreed = fraction(tie_cost), fraction(consensus_tie_cost)
    require(max(voted, agreed) <= 1, "a tie costs at most 1")
    integers(placed, 0, n - 1)
    require(len(set(placed)) == len(placed) <= n - 1, "the list is none")
    require(type(weights) is list and len(weights) == len(placed), "a place needs a weight")
    weighed = [fraction(weight) for weight in weights]
    require(0 not in weighed, "a weight is 0")
    require(sorted(weighed, reverse=True) == weighed, "a weight is larger than the one before it")
    require(agreed == 0 or set(weighed) <= {1}, "weights and the price of ties exclude each other")
    whole = lcm(voted.denominator, agreed.denominator)
    places = lcm(*(weight.denominator for weight in weighed))
    require(integer(denominator) == scale * whole * places, "the denominator is another")
    within = rounding * n * (n - 1) * max(weighed, default=1)
    require(fraction(tolerance) == within, "the tolerance is another")

    def tied(i, j):
        return int(agreed * whole) * (wins[i][j] + wins[j][i]) if i != j else 0

    def above(i, j):
        return whole * wins[j][i] + int(voted * whole) * ties[i][j] if i != j else 0

    everybody = range(n)
    gain = [[above(i, j) - tied(i, j) for j in everybody] for i in everybody]
    constant = places * sum(tied(i, j) for j in everybody for i in range(j))
    total, behind = constant, set(everybody)
    scaled = [int(weight * places) for weight in weighed]
    for item, weight in zip(placed, scaled, strict=True):
        behind.remove(item)
        total += weight * sum(gain[item][j] for j in behind)
    require(integer(scaled_cost) == total, f"the list costs {total}/{denominator}")
    require(integer(scaled_bound) <= total, "the bound is above the cost")
    proved = constant + Lists(gain, scaled).cheapest_below(scaled_bound - constant)
    require(proved >= scaled_bound, f"only {proved}/{denominator} is proved")
    require(status == ("optimal" if scaled_bound == total else "gap"), "the status is another")
    claims = [str(Fraction(x, denominator)) for x in (total, scaled_bound)]
    require([stated_cost, stated_bound] == claims, "cost or bound is printed wrong")
    return f"The proof holds: this list costs {claims[0]}, and none less than {claims[1]}."


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python check_placed_certificate.py certificate.json votes.json")
    try:
        certificate, votes = (Path(path).read_text(encoding="utf-8") for path in sys.argv[1:])
        sys.stdout.write(check(parse(certificate), parse(votes)) + "\n")
    except RefusedError as error:
        sys.exit(f"The proof does not hold: {error}.")
