"""Check a certificate of a weak order: python check_weak_certificate.py certificate.json votes.json

Written from the specification of both files alone: it needs Python's standard library and
check_certificate.py beside it, which reads JSON and votes, and nothing of the package. It prints
one sentence; the exit code is 0 where the proof holds, and 1 where not.
"""

import sys
from fractions import Fraction
from itertools import chain
from math import gcd, lcm
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from check_certificate import (
    LARGEST,
    UNIT,
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

ABOVE, TIED, BELOW = range(3)


class Case:
    """What is known of a weak order: who is not below whom, and who is above whom, as bits."""

    def __init__(self, not_below, above):
        self.not_below, self.above = not_below, above

    def learn(self, statements):
        """Return the case with statements (i, j, is_below) and all that follows, or None."""
        n = len(self.above)
        weak, strict = list(self.not_below), list(self.above)
        for i, j, is_below in statements:
            if is_below:
                strict[j] |= 1 << i
            else:
                weak[i] |= 1 << j
        before = None
        while before != (weak, strict):
            before = (list(weak), list(strict))
            for i in range(n):
                weak[i] |= strict[i]
                for k in range(n):
                    if weak[i] >> k & 1:
                        weak[i] |= weak[k]
                        strict[i] |= strict[k]
                    if strict[i] >> k & 1:
                        strict[i] |= weak[k]
        return None if any(strict[i] >> i & 1 for i in range(n)) else Case(weak, strict)

    def places(self, i, j):
        """Return where i may stand to j."""
        i_above, j_above = self.above[i] >> j & 1, self.above[j] >> i & 1
        return [
            place
            for place, is_open in (
                (ABOVE, not self.not_below[j] >> i & 1),
                (TIED, not i_above and not j_above),
                (BELOW, not self.not_below[i] >> j & 1),
            )
            if is_open
        ]


class Part:
    """What the pairs of one proof cost: i above j, tied, i below j for each pair i < j."""

    def __init__(self, cost, positions, n):
        integers(positions, 0, n - 1)
        require(len(set(positions)) == len(positions) >= 2, "a part has distinct positions")
        self.where = {position: at for at, position in enumerate(positions)}
        self.n = len(positions)
        self.cost = {
            (i, j): cost(positions[i], positions[j]) for j in range(self.n) for i in range(j)
        }
        self.floor = sum(map(min, self.cost.values()))
        self.step = gcd(*(three[k] - three[TIED] for three in self.cost.values() for k in (0, 2)))

    def items(self, positions):
        require(len(set(positions)) == len(positions), "positions are not distinct")
        require(all(p in self.where for p in positions), "a position is outside of the part")
        return [self.where[p] for p in positions]

    def lift(self, bound):
        """Return the next cost that a weak order can have, from a bound times UNIT."""
        above = bound - self.floor * UNIT
        steps = -(-above // (self.step * UNIT)) if self.step else 0
        return self.floor + max(0, steps) * self.step

    def bound(self, nodes):
        """Return the least that the cases leave; every node is taken once."""
        require(type(nodes) is list and nodes, "a proof has no nodes")
        cases = {0: Case([1 << i for i in range(self.n)], [0] * self.n)}
        bounds = []
        for at, node in enumerate(nodes):
            require(at in cases, "a node is the child of no node before it")
            require(type(node) is dict, "a node is an object")
            case = cases[at]
            below = []
            if "pair" in node:
                pair, *children = fields(node, "pair", "not_below", "below")
                i, j = self.items(integers(pair, 0, LARGEST, 2))
                for child, is_below in zip(children, (False, True), strict=True):
                    below.append((child, case and case.learn([(i, j, is_below)])))
            elif "threshold" in node:
                rows, threshold, rest = fields(node, "rows", "threshold", "rest")
                price, total = self.priced(rows, case)
                below = [(rest, self.fixed(case, price, total, integer(threshold)))]
                bounds += [threshold] if case else []
            else:
                price, total = self.priced(*fields(node, "rows"), case)
                bounds += [self.lift(total)] if case else []
            for child, left in below:
                integer(child, at + 1, len(nodes) - 1)
                require(child not in cases, "a node has two parents")
                cases[child] = left
        require(bounds, "every case contradicts itself")
        return min(bounds)

    def priced(self, rows, case):
        """Return the prices of all places with the rows added, and the bound of the case."""
        require(type(rows) is list, "rows are a list")
        require(len(rows) <= self.n * (self.n - 1) * (self.n - 2), "too many rows")
        price = {pair: [UNIT * c for c in three] for pair, three in self.cost.items()}
        total = 0
        for row in rows:
            *corners, weight = integers(row, 0, LARGEST, 4)
            require(weight > 0, "a weight is not positive")
            a, b, c = self.items(corners)
            total -= weight
            for i, j, w in ((a, b, weight), (b, c, weight), (a, c, -weight)):
                # Paid where i is not below j: above it or tied.
                for place in (ABOVE, TIED) if i < j else (TIED, BELOW):
                    price[min(i, j), max(i, j)][place] += w
        for (i, j), three in price.items() if case else ():
            total += min(three[place] for place in case.places(i, j))
        return price, total

    def fixed(self, case, price, total, threshold):
        """Return the case that is left when statements that reach the threshold are gone."""
        if case is None or self.lift(total) >= threshold:
            return None
        new = []
        for (i, j), three in price.items():
            places = case.places(i, j)
            least = min(three[place] for place in places)
            for first, second, when in ((i, j, (ABOVE, TIED)), (j, i, (TIED, BELOW))):
                for is_below in (False, True):
                    where = [p for p in places if (p in when) != is_below]
                    # A statement that cannot be has its opposite in the case already.
                    if where and (
                        self.lift(total + min(three[p] for p in where) - least) >= threshold
                    ):
                        new.append((first, second, not is_below))
        return case.learn(new)


def check(certificate, votes):
    """Return what is proved, in one sentence; raise RefusedError where nothing is."""
    (schema, version, status, stated_cost, stated_bound, tolerance, tie_cost, consensus_tie_cost,
     mark, items, buckets, scaled_cost, scaled_bound, denominator, unit, proofs) = fields(
        certificate, "schema", "version", "status", "cost", "lower_bound", "tolerance", "tie_cost",
        "consensus_tie_cost", "fingerprint", "items", "buckets", "scaled_cost",
        "scaled_lower_bound", "denominator", "weight_denominator", "proofs")  # fmt: skip
    require(schema == "rankagg.weak_certificate", "this is no certificate of a weak order")
    integer(version, 1, 1), integer(unit, UNIT, UNIT)
    names, wins, ties, scale, rounding = read_votes(votes)
    n = len(names)
    require(labels(items) == names, "the items are not those of the votes")
    require(mark == fingerprint(names, wins, ties, scale), "it is for other votes")
    voted, agreed = fraction(tie_cost), fraction(consensus_tie_cost)
    require(max(voted, agreed) <= 1, "a tie costs at most 1")
    whole = lcm(voted.denominator, agreed.denominator)
    require(integer(denominator) == scale * whole, "the denominator is another")
    require(fraction(tolerance) == rounding * n * (n - 1), "the tolerance is another")
    require(type(buckets) is list, "buckets are a list")
    for bucket in buckets:
        require(sorted(integers(bucket, 0, n - 1)) == bucket != [], "a bucket is not ascending")
    require(sorted(chain(*buckets)) == list(range(n)), "the buckets are no weak order")
    level = {position: at for at, bucket in enumerate(buckets) for position in bucket}

    def cost(i, j):
        tie = int(voted * whole) * ties[i][j]
        both = int(agreed * whole) * (wins[i][j] + wins[j][i])
        return whole * wins[j][i] + tie, both, whole * wins[i][j] + tie

    pairs = [(i, j) for j in range(n) for i in range(j)]
    total = sum(cost(i, j)[1 + (level[i] > level[j]) - (level[i] < level[j])] for i, j in pairs)
    require(integer(scaled_cost) == total, f"the weak order costs {total}/{denominator}")
    proved = sum(min(cost(i, j)) for i, j in pairs)
    taken = set()
    require(type(proofs) is list, "proofs are a list")
    for proof in proofs:
        positions, nodes = fields(proof, "positions", "nodes")
        part = Part(cost, positions, n)
        require(not taken & set(positions), "two proofs share an item")
        taken |= set(positions)
        proved += part.bound(nodes) - part.floor
    require(integer(scaled_bound) <= min(proved, total), f"only {proved}/{denominator} is proved")
    require(status == ("optimal" if scaled_bound == total else "gap"), "the status is another")
    claims = [str(Fraction(x, denominator)) for x in (total, scaled_bound)]
    require([stated_cost, stated_bound] == claims, "cost or bound is printed wrong")
    return f"The proof holds: this weak order costs {claims[0]}, and none less than {claims[1]}."


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python check_weak_certificate.py certificate.json votes.json")
    try:
        certificate, votes = (Path(path).read_text(encoding="utf-8") for path in sys.argv[1:])
        sys.stdout.write(check(parse(certificate), parse(votes)) + "\n")
    except RefusedError as error:
        sys.exit(f"The proof does not hold: {error}.")
