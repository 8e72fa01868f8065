"""Check a certificate against votes: python check_certificate.py certificate.json votes.json

Written from the specification of both files alone: it needs Python's standard library, and nothing
of the package. It prints one sentence; the exit code is 0 where the proof holds, and 1 where not.
"""

import json
import re
import sys
from fractions import Fraction
from hashlib import sha256
from itertools import chain, product
from math import gcd
from pathlib import Path

UNIT = 2**20  # the weights of cycles are over this
COUNT = 2**31 - 1
LARGEST = 10**1000 - 1


class RefusedError(Exception):
    """The proof does not hold."""


def require(is_so, words):
    if not is_so:
        raise RefusedError(words)


# -- reading: plain integers, known keys ----------------------------------------------------------


def parse(text):
    def refuse(word):
        raise RefusedError(f"{word[:40]} is no integer of at most 1000 digits")

    def integer(word):
        return int(word) if len(word.lstrip("-")) <= 1000 else refuse(word)

    def distinct(pairs):
        require(len(dict(pairs)) == len(pairs), "a key stands twice in one object")
        return dict(pairs)

    try:
        return json.loads(text, object_pairs_hook=distinct, parse_int=integer,
                          parse_float=refuse, parse_constant=refuse)  # fmt: skip
    except (json.JSONDecodeError, RecursionError) as error:
        raise RefusedError(f"the file is no JSON: {error}") from None


def fields(data, *keys):
    require(type(data) is dict and set(data) == set(keys), f"an object needs the keys {keys}")
    return [data[key] for key in keys]


def integers(data, low, high, length=None):
    require(type(data) is list, "a list of integers was expected")
    require(all(type(x) is int and low <= x <= high for x in data), "an integer is not allowed")
    require(length is None or len(data) == length, "a list has not the right length")
    return data


def integer(data, low=0, high=LARGEST):
    return integers([data], low, high)[0]


def fraction(data):
    pattern = r"(0|[1-9][0-9]{0,999})(/[1-9][0-9]{0,999})?"
    require(type(data) is str and re.fullmatch(pattern, data), "a fraction was expected")
    require(str(Fraction(data)) == data, "a fraction is not in lowest terms")
    return Fraction(data)


def labels(data):
    require(type(data) is list and data, "items are a list")
    require({type(x) for x in data} in ({int}, {str}), "items are all texts or all integers")
    require(len(set(data)) == len(data), "an item occurs twice")
    texts = "".join(x for x in data if type(x) is str)
    require(not re.search("[\ud800-\udfff]", texts), "an item has half of a character")
    return [x if type(x) is str else integer(x, low=-LARGEST) for x in data]


def read_votes(data):
    """Return items, wins, ties and denominator in lowest terms, and the rounding."""
    schema, version, items, denominator, rounding, *matrices = fields(
        data, "schema", "version", "items", "denominator", "rounding", "wins", "ties")  # fmt: skip
    require((schema, version) == ("rankagg.votes", integer(version, 1, 1)), "not votes, version 1")
    n = len(labels(items))
    integer(denominator, 1, 10**300 - 1)
    for matrix in matrices:
        require(type(matrix) is list and len(matrix) == n, "a matrix has not the right size")
        for i, row in enumerate(matrix):
            require(integers(row, 0, 10**300 - 1, n)[i] == 0, "a diagonal is not 0")
            require(max(row) <= 10**100 * denominator, "there are more than 10**100 votes")
    ties = matrices[1]
    require(all(ties[i][j] == ties[j][i] for i in range(n) for j in range(i)), "lopsided ties")
    off = fraction(rounding)
    require(off <= sys.float_info.max and off == Fraction(float(off)), "no double is the rounding")
    common = gcd(denominator, *chain(*matrices[0], *ties))
    wins, ties = ([[x // common for x in row] for row in matrix] for matrix in matrices)
    return items, wins, ties, denominator // common, off


def fingerprint(items, wins, ties, denominator):
    text = f"rankagg.votes 1\n{len(items)} {denominator}\n".encode()
    for label in items:
        name = str(label).encode()
        text += b"i%b\n" % name if type(label) is int else b"s%d:%b\n" % (len(name), name)
    text += "".join(" ".join(map(str, row)) + "\n" for row in wins + ties).encode()
    return sha256(text).hexdigest()


# -- constraints: behind the n items stand markers, each with so many items before it -------------


def constraints(data, n):
    """Return the places of the markers, the pairs that are decided, and the rows by their names."""
    above, first, last, counts = fields(data, "above", "first", "last", "counts")
    require(type(above) is type(counts) is list and (above or first or last or counts),
            "constraints are lists, and not all of them empty")  # fmt: skip
    counts = [fields(count, "items", "within", "at_least") for count in counts]
    for some in (*above, first, last, *(items for items, *_ in counts)):
        require(len(set(integers(some, 0, n - 1))) == len(some), "positions are not distinct")
    for items, within, least in counts:
        integer(least, 1, min(len(items), integer(within, 1, n)))
    places = sorted({within for _, within, _ in counts})
    pairs = [tuple(integers(pair, 0, n - 1, 2)) for pair in above]
    pairs += [(i, j) for i in first for j in range(n) if j not in first]
    pairs += [(i, j) for j in last for i in range(n) if i not in last]
    pairs += [(marker, marker + 1) for marker in range(n, n + len(places) - 1)]
    named = {}
    for at, place in enumerate(places):
        named["before", at] = {(i, n + at): 1 for i in range(n)}, place
        named["behind", at] = {(n + at, i): 1 for i in range(n)}, n - place
    for at, (items, within, least) in enumerate(counts):
        named["quota", at] = {(i, n + places.index(within)): 1 for i in items}, least
        pairs += named["quota", at][0] if least == len(items) else ()
    case = decided([0] * (n + len(places)), pairs)
    require(case is not None, "the constraints contradict each other")
    return places, case, named


# -- the bound of one part ------------------------------------------------------------------------


class Part:
    """Costs of placing row before column, among the items of one proof."""

    def __init__(self, cost, positions, case, n):
        integers(positions, 0, len(cost) - 1)
        require(len(set(positions)) == len(positions) >= 2, "a part has distinct positions")
        self.where = {position: at for at, position in enumerate(positions)}
        self.cost = [[cost[a][b] for b in positions] for a in positions]
        self.n = len(positions)
        self.pairs = [(i, j) for i in range(self.n) for j in range(i)]
        self.floor = least_of(self.cost, [0] * self.n)
        self.root = [sum(1 << self.where[j] for j in positions if case[i] >> j & 1)
                     for i in positions]  # fmt: skip
        self.is_free = not any(self.root) and max(positions) < n
        self.rows = []
        self.step = gcd(*(self.cost[i][j] - self.cost[j][i] for i, j in self.pairs))

    def places(self, positions):
        require(len(set(positions)) == len(positions), "positions are not distinct")
        require(all(p in self.where for p in positions), "a position is outside of the part")
        return [self.where[p] for p in positions]

    def lift(self, bound):
        """Return the next cost that an order can have, from a bound times UNIT."""
        above = bound - self.floor * UNIT
        steps = -(-above // (self.step * UNIT)) if self.step else 0
        return self.floor + max(0, steps) * self.step

    def bound(self, nodes):
        """Return the least that the cases leave; every node is taken once."""
        require(type(nodes) is list and nodes, "a proof has no nodes")
        if type(nodes[0]) is dict and "enumeration" in nodes[0]:
            require(fields(nodes[0], "enumeration")[0] is True, "an enumeration is true")
            require(len(nodes) == 1 and self.n <= 20, "an enumeration stands alone, for 20 items")
            require(self.is_free, "constraints hold items of an enumeration")
            return self.enumerate()
        cases = {0: self.root}  # for each place in a case the set of places known behind it
        bounds, chain = [], 0
        for at, node in enumerate(nodes):
            require(at in cases and type(node) is dict, "a node is no child of one before it")
            case = cases[at]
            below = []
            if "pair" in node:
                pair, before, after = fields(node, "pair", "before", "after")
                i, j = self.places(integers(pair, 0, LARGEST, 2))
                below = [(before, decided(case, [(i, j)])), (after, decided(case, [(j, i)]))]
            elif "threshold" in node:
                cycles, rows, threshold, rest = fields(node, "cycles", "rows", "threshold", "rest")
                price, total = self.priced(cycles, rows, case)
                below = [(rest, self.fixed(case, price, total, integer(threshold)))]
                bounds += [threshold] if case else []
            elif "exchange" in node or "cut" in node:
                require(at == chain and self.is_free, "an exchange or a cut may not stand here")
                chain = node.get("rest")
                below = [(chain, decided(case, self.persistent(node, case)))]
                require(below[0][1] is not None, "pairs of every optimum contradict each other")
            else:
                price, total = self.priced(*fields(node, "cycles", "rows"), case)
                bounds += [self.lift(total)] if case else []
            for child, left in below:
                integer(child, at + 1, len(nodes) - 1)
                require(child not in cases, "a node has two parents")
                cases[child] = left
        require(bounds, "every case contradicts itself")
        return min(bounds)

    def derive(self, rows, given):
        """Read the derived rows: for each what its arcs count, and what they reach at least."""
        require(type(rows) is list, "rows are a list")
        for row in rows:
            terms, divisor = fields(row, "terms", "divisor")
            require(type(terms) is list and terms, "a row has no terms")
            integer(divisor, 1, COUNT)
            counts, least = {}, 0
            for term in terms:
                require(type(term) is list and len(term) == 2, "a term is a number and a row")
                times, source = integer(term[0], 1, COUNT), term[1]
                if type(source) is list:
                    items = self.places(integers(source, 0, LARGEST))
                    require(len(items) >= 2, "a cycle has two items or more")
                    arcs = dict.fromkeys(zip(items, items[1:] + items[:1], strict=True), 1)
                    if len(items) == 2:  # an arc by itself, which is used no less than never
                        del arcs[items[1], items[0]]
                    others = arcs, int(len(items) > 2)
                elif type(source) is dict:
                    key = next(((name, integer(x)) for name, x in source.items()), None)
                    require(len(source) == 1 and key in given, "constraints have no such row")
                    others = {tuple(self.places(arc)): 1 for arc in given[key][0]}, given[key][1]
                else:
                    others = self.rows[integer(source, 0, len(self.rows) - 1)]
                for arc, count in others[0].items():
                    counts[arc] = counts.get(arc, 0) + times * count
                least += times * others[1]
            for i, j in list(counts):  # an order uses exactly one of i -> j and j -> i
                both = min(counts[i, j], counts.get((j, i), 0))
                if both:
                    counts[i, j], counts[j, i] = counts[i, j] - both, counts[j, i] - both
                    least -= both
            counts = {arc: -(-count // divisor) for arc, count in counts.items() if count}
            least = -(-least // divisor)
            require(max(map(abs, (least, *counts.values()))) <= COUNT, "a row counts too much")
            self.rows.append((counts, least))

    def priced(self, cycles, rows, case):
        """Return the prices less the weights of the rows, and the bound of the case."""
        require(type(cycles) is list, "cycles are a list")
        require(len(cycles) <= self.n * (self.n - 1) * (self.n - 2) // 3, "too many cycles")
        price = [[UNIT * c for c in row] for row in self.cost]
        total = 0
        for cycle in cycles:
            *corners, weight = integers(cycle, 0, LARGEST, 4)
            require(weight > 0, "a weight is not positive")
            a, b, c = self.places(corners)
            total += weight
            for i, j in ((a, b), (b, c), (c, a)):
                price[i][j] -= weight
        require(type(rows) is list, "weighted rows are a list")
        for row in rows:
            at, weight = integers(row, 0, LARGEST, 2)
            require(at < len(self.rows) and weight > 0, "a row or its weight is none")
            counts, least = self.rows[at]
            total += weight * least
            for (i, j), count in counts.items():
                price[i][j] -= weight * count
        return price, total + (least_of(price, case) if case else 0)

    def fixed(self, case, price, total, threshold):
        """Return the case that is left when dearer sides that reach the threshold are gone."""
        if case is None or self.lift(total) >= threshold:
            return None
        new = []
        for i, j in self.pairs:
            if not (case[i] >> j & 1 or case[j] >> i & 1):
                excess = price[i][j] - price[j][i]
                if self.lift(total + abs(excess)) >= threshold:
                    new.append((i, j) if excess < 0 else (j, i))
        return decided(case, new)

    def persistent(self, node, known):
        """Return pairs that every optimum has, after checking that it must."""

        def gain(i, j):
            return self.cost[j][i] - self.cost[i][j]

        if "exchange" in node:
            pairs, up, down, _ = fields(node, "exchange", "up", "down", "rest")
            integers([up, down], 0, COUNT)
        else:
            above, pairs, _ = fields(node, "above", "cut", "rest")
            upper = self.places(integers(above, 0, LARGEST))
            lower = [v for v in range(self.n) if v not in upper]
        require(type(pairs) is list and pairs, "there are no pairs")
        pairs = [self.places(integers(pair, 0, LARGEST, 2)) for pair in pairs]
        for x, y in pairs:
            between = {k for k in range(self.n) if not (known[k] >> y & 1 or known[x] >> k & 1)}
            if "exchange" in node:
                gains = [up * gain(x, k) + down * gain(k, y) for k in between - {x, y}]
                total = (up + down) * gain(x, y)
            else:
                require(x in upper and y in lower, "a pair is not across its cut")
                ends = product(between.intersection(upper), between.intersection(lower))
                gains = [gain(u, v) for u, v in ends if not known[u] >> v & 1]
                total = gain(x, y)
            require(total + sum(min(0, g) for g in gains) > 0, "a pair is not so in every optimum")
        return pairs

    def enumerate(self):
        """Return the least cost of all orders; with 20 items this takes minutes."""
        best = [0] * 2**self.n  # of each set of items, which is a number whose bits they are
        for some in range(1, 2**self.n):
            inside = [i for i in range(self.n) if some >> i & 1]
            paid = {k: sum(self.cost[i][k] for i in inside if i != k) for k in inside}
            best[some] = min(best[some ^ 1 << last] + paid[last] for last in inside)
        return best[-1]


def least_of(price, case):
    """Return the sum over all pairs of the price of the decided direction, or of the cheaper."""
    return sum(
        price[i][j] if case[i] >> j & 1
        else price[j][i] if case[j] >> i & 1
        else min(price[i][j], price[j][i])
        for i in range(len(case)) for j in range(i)
    )  # fmt: skip


def decided(case, new):
    """Return a case with more pairs decided, and what follows; None where that is a cycle."""
    if case is None:
        return None
    case = list(case)
    for i, j in new:
        case[i] |= 1 << j
    for k in range(len(case)):
        case = [row | case[k] if row >> k & 1 else row for row in case]
    return None if any(case[i] >> i & 1 for i in range(len(case))) else case


# -- the statement --------------------------------------------------------------------------------


def check(certificate, votes):
    """Return what is proved, in one sentence; raise RefusedError where nothing is."""
    (schema, version, status, stated_cost, stated_bound, tolerance, tie_cost, mark, items, order,
     scaled_cost, scaled_bound, denominator, unit, proofs, *stated) = fields(
        certificate, "schema", "version", "status", "cost", "lower_bound", "tolerance", "tie_cost",
        "fingerprint", "items", "order", "scaled_cost", "scaled_lower_bound", "denominator",
        "weight_denominator", "proofs",
        *(["constraints"] if type(certificate) is dict and "constraints" in certificate else []),
    )  # fmt: skip
    require(schema == "rankagg.certificate", "this is no certificate")
    integer(version, 3, 3), integer(unit, UNIT, UNIT)
    names, wins, ties, scale, rounding = read_votes(votes)
    require(labels(items) == names, "the items are not those of the votes")
    require(mark == fingerprint(names, wins, ties, scale), "it is for other votes")
    require((share := fraction(tie_cost)) <= 1, "a tie costs at most 1")
    require(integer(denominator) == scale * share.denominator, "the denominator is another")
    n = len(names)
    require(fraction(tolerance) == rounding * n * (n - 1), "the tolerance is another")
    require(len(set(integers(order, 0, n - 1, n))) == n, "the order is no order of the items")

    cost = [[wins[j][i] * share.denominator for j in range(n)] for i in range(n)]
    tied = sum(ties[i][j] for i in range(n) for j in range(i)) * share.numerator
    total = tied + sum(cost[a][b] for at, a in enumerate(order) for b in order[at + 1 :])
    require(integer(scaled_cost) == total, f"the ranking costs {total}/{denominator}")
    case, given = [0] * n, {}
    if stated:
        places, case, given = constraints(stated[0], n)
        at = {i: place for place, i in enumerate(order)}  # and markers between these places
        at |= {n + number: place - 0.5 for number, place in enumerate(places)}
        has = [at[i] < at[j] for i in at for j in at if case[i] >> j & 1]
        has += [sum(at[i] < at[j] for i, j in arcs) >= least for arcs, least in given.values()]
        require(all(has), "the ranking breaks a constraint")
        cost = [[*row, *[0] * (len(case) - n)] for row in cost + [[0] * n] * (len(case) - n)]
    proved = tied + least_of(cost, case)
    taken = set()
    for proof in proofs if type(proofs) is list else [None]:
        positions, rows, nodes = fields(proof, "positions", "rows", "nodes")
        part = Part(cost, positions, case, n)
        require(not taken & set(positions), "two proofs share an item")
        taken |= set(positions)
        part.derive(rows, given)
        proved += part.bound(nodes) - least_of(part.cost, part.root)
    require(integer(scaled_bound) <= min(proved, total), f"only {proved}/{denominator} is proved")
    require(status == ("optimal" if scaled_bound == total else "gap"), "the status is another")
    claims = [str(Fraction(x, denominator)) for x in (total, scaled_bound)]
    require([stated_cost, stated_bound] == claims, "cost or bound is printed wrong")
    none = "none under the constraints" if stated else "none"
    return f"The proof holds: this ranking costs {claims[0]}, and {none} less than {claims[1]}."


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python check_certificate.py certificate.json votes.json")
    try:
        certificate, votes = (Path(path).read_text(encoding="utf-8") for path in sys.argv[1:])
        sys.stdout.write(check(parse(certificate), parse(votes)) + "\n")
    except RefusedError as error:
        sys.exit(f"The proof does not hold: {error}.")
