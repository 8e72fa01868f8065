"""Check a certificate against votes, `python check_certificate.py certificate.json votes.json`.

Written from the specification of both files alone: it needs Python's standard library, and nothing
of the package or of NumPy, so this one file can be taken anywhere. It prints one sentence; the exit
code is 0 where the proof holds, 1 where not, and 3 where the budget does not suffice to say.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import cached_property
from hashlib import sha256
from itertools import chain, product
from math import gcd, inf, lcm
from pathlib import Path
from time import monotonic
from typing import Any, ClassVar, TypeAlias

__all__ = [
    "BYTES",
    "NUMBER",
    "SECONDS",
    "UNLIMITED",
    "BudgetError",
    "RefusedError",
    "Work",
    "check",
]

UNIT = 2**20  # the weights of rows are over this
COUNT = 2**31 - 1
LARGEST = 10**1000 - 1

SECONDS, BYTES = 60.0, 2**30
SHOWN = 8  # places of a ranking that a sentence names
SPEED = 1e7  # steps in a second, on a fast machine
ENTRY, NUMBER = 150, 60  # bytes of a large integer in a dictionary, and in a list

Arc: TypeAlias = "tuple[int, int]"
Form: TypeAlias = "tuple[dict[Arc, int], int]"  # what arcs count, and what they reach at least
Looked: TypeAlias = "tuple[int | None, list[tuple[Any, Any]]]"
Case: TypeAlias = "list[int] | None"  # for each place the set of places known behind it, as bits
STATED = (
    *("schema", "version", "status", "cost", "lower_bound", "tolerance", "tie_cost"),
    *("fingerprint", "items", "scaled_cost", "scaled_lower_bound", "denominator"),
)


class RefusedError(Exception):
    """The proof does not hold."""


class BudgetError(Exception):
    """The budget does not suffice to say whether the proof holds."""


def require(is_so: object, words: str) -> None:
    """Refuse, in these words, unless it is so."""
    if not is_so:
        raise RefusedError(words)


class Work:
    """What a check may take: sizes are looked at before they are gone through."""

    def __init__(self, seconds: float = SECONDS, size: float = BYTES) -> None:
        self.seconds, self.size, self.ends = seconds, size, monotonic() + seconds

    def spend(self, steps: float = 0) -> None:
        """Raise where the time is over, or will be before so many steps are done."""
        if monotonic() + steps / SPEED > self.ends:
            raise BudgetError(f"it takes more than {self.seconds:g} s")

    def hold(self, size: float) -> None:
        """Raise where so many bytes are too many."""
        if size > self.size:
            raise BudgetError(f"it takes more than {self.size / 2**20:g} MiB")


UNLIMITED = Work(inf, inf)


# -- reading: plain integers, known keys ----------------------------------------------------------


def parse(text: str) -> Any:
    """Return what a JSON text of plain integers says."""

    def refuse(word: str) -> Any:
        raise RefusedError(f"{word[:40]} is no integer of at most 1000 digits")

    def integer(word: str) -> Any:
        return int(word) if len(word.lstrip("-")) <= 1000 else refuse(word)

    def distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        require(len(dict(pairs)) == len(pairs), "a key stands twice in one object")
        return dict(pairs)

    try:
        return json.loads(
            text,
            object_pairs_hook=distinct,
            parse_int=integer,
            parse_float=refuse,
            parse_constant=refuse,
        )
    except (json.JSONDecodeError, RecursionError) as error:
        raise RefusedError(f"the file is not JSON: {error}") from None


def fields(data: Any, *keys: str) -> list[Any]:
    """Return the values of an object that has these keys and no other."""
    require(type(data) is dict and set(data) == set(keys), f"an object needs the keys {keys}")
    return [data[key] for key in keys]


def sequence(data: Any, what: str) -> list[Any]:
    """Return a list."""
    require(type(data) is list, f"{what} are a list")
    found: list[Any] = data
    return found


def integers(data: Any, low: int, high: int, length: int | None = None) -> list[int]:
    """Return integers within bounds, as many as asked for."""
    numbers = sequence(data, "integers")
    require(set(map(type, numbers)) <= {int}, "an integer was expected")
    require(not numbers or low <= min(numbers) <= max(numbers) <= high, "an integer is not allowed")
    require(length is None or len(numbers) == length, "a list has not the right length")
    return numbers


def integer(data: Any, low: int = 0, high: int = LARGEST) -> int:
    """Return an integer within bounds."""
    return integers([data], low, high)[0]


def positions(data: Any, n: int, length: int | None = None) -> list[int]:
    """Return different positions among n items."""
    found = integers(data, 0, n - 1, length)
    require(len(set(found)) == len(found), "positions are not distinct")
    return found


def fraction(data: Any) -> Fraction:
    """Return a fraction that is written in lowest terms."""
    pattern = r"(0|[1-9][0-9]{0,999})(/[1-9][0-9]{0,999})?"
    require(type(data) is str and re.fullmatch(pattern, data), "a fraction was expected")
    require(str(Fraction(data)) == data, "a fraction is not in lowest terms")
    return Fraction(data)


def share(data: Any) -> Fraction:
    """Return a fraction that is at most 1."""
    require(fraction(data) <= 1, "a tie costs at most 1")
    return Fraction(data)


def labels(data: Any) -> list[Any]:
    """Return the names of items: different texts, or different integers."""
    # A text of another class, which shows itself in its own way, is the text that it holds.
    names = ["".join(x) if isinstance(x, str) else x for x in sequence(data, "items")]
    require({type(x) for x in names} in ({int}, {str}), "items are all texts or all integers")
    require(len(set(names)) == len(names), "an item occurs twice")
    texts = "".join(x for x in names if type(x) is str)
    require(not re.search("[\ud800-\udfff]", texts), "an item has half of a character")
    return [x if type(x) is str else integer(x, low=-LARGEST) for x in names]


class Votes:
    """Votes over one denominator in lowest terms: of each row the columns that have some."""

    def __init__(self, data: Any, work: Work) -> None:
        schema, version, items, denominator, rounding, *matrices = fields(
            data, "schema", "version", "items", "denominator", "rounding", "wins", "ties"
        )
        require(schema == "rankagg.votes", "these are no votes")
        integer(version, 1, 1)
        self.names = labels(items)
        self.n = len(self.names)
        common, self.entries = integer(denominator, 1, 10**300 - 1), 0
        self.wins, self.ties = (self._rows(matrix, common, work) for matrix in matrices)
        ties = self.ties
        require(
            all(ties[j].get(i) == x for i, row in enumerate(ties) for j, x in row.items()),
            "lopsided ties",
        )
        self.off = fraction(rounding)
        require(
            self.off <= sys.float_info.max and self.off == Fraction(float(self.off)),
            "no double is the rounding",
        )
        rows = [*self.wins, *ties]
        common = gcd(denominator, *chain.from_iterable(row.values() for row in rows))
        for row in rows if common > 1 else ():
            row.update((j, x // common) for j, x in row.items())
        self.denominator = denominator // common

    def _rows(self, matrix: Any, denominator: int, work: Work) -> list[dict[int, int]]:
        """Return the rows of a matrix, which may come one after the other."""
        rows: list[dict[int, int]] = []
        for row in matrix if isinstance(matrix, Iterator) else sequence(matrix, "rows"):
            i = len(rows)
            require(i < self.n, "a matrix has not the right size")
            work.spend()
            require(integers(row, 0, 10**300 - 1, self.n)[i] == 0, "a diagonal is not 0")
            require(max(row) <= 10**100 * denominator, "there are more than 10**100 votes")
            rows.append({j: x for j, x in enumerate(row) if x})
            self.entries += len(rows[-1])
            work.hold(self.entries * ENTRY)
        require(len(rows) == self.n, "a matrix has not the right size")
        return rows

    def fingerprint(self) -> str:
        """Return the hash by which a certificate names its votes."""
        mark = sha256(f"rankagg.votes 1\n{self.n} {self.denominator}\n".encode())
        for label in self.names:
            name = str(label).encode()
            is_number = type(label) is int
            mark.update(b"i%b\n" % name if is_number else b"s%d:%b\n" % (len(name), name))
        for matrix in (self.wins, self.ties):
            largest = max((x for row in matrix for x in row.values()), default=0)
            width = (largest.bit_length() + 7) // 8
            mark.update(b"%d\n" % width)
            for row in matrix:
                mark.update(self._bytes(row, width))
        return mark.hexdigest()

    def _bytes(self, row: dict[int, int], width: int) -> bytearray:
        numbers = bytearray(self.n * width)
        for j, x in row.items():
            numbers[j * width : (j + 1) * width] = x.to_bytes(width, "little")
        return numbers

    def won(self, i: int, j: int) -> int:
        """Return the votes with the first above the second."""
        return self.wins[i].get(j, 0)

    def tied(self, i: int, j: int) -> int:
        """Return the votes that tie the two."""
        return self.ties[i].get(j, 0)

    def pairs(self) -> set[Arc]:
        """Return the pairs i > j that have votes."""
        rows = enumerate(zip(self.wins, self.ties, strict=True))
        return {(max(i, j), min(i, j)) for i, both in rows for j in chain(*both)}


# -- constraints: decided pairs, and rows ---------------------------------------------------------


class StatedConstraints:
    """The pairs that are decided, and the rows that hold."""

    def __init__(self, data: Any, n: int, work: Work) -> None:
        above, first, last, counts = fields(data, "above", "first", "last", "counts")
        require(
            type(above) is type(counts) is list and (above or first or last or counts),
            "constraints are lists, and not all of them empty",
        )
        pairs = [(i, j) for i, j in (positions(pair, n, 2) for pair in above)]
        ends = set(positions(first, n)), set(positions(last, n))
        quotas = []
        for count in counts:
            items, within, least = fields(count, "items", "within", "at_least")
            some, place = positions(items, n), integer(within, 1, n)
            quotas.append((some, place, integer(least, 1, min(len(some), place))))
        work.hold(n * n / 8 + NUMBER * n * sum(map(len, ends)))
        work.spend(n * n)
        pairs += [(i, j) for i in ends[0] for j in range(n) if j not in ends[0]]
        pairs += [(i, j) for j in ends[1] for i in range(n) if i not in ends[1]]
        self.n, self.quotas, self.work = n, quotas, work
        case = decided([0] * n, pairs)
        require(case is not None, "the constraints contradict each other")
        self.case = case or []

    def row(self, data: dict[str, Any]) -> tuple[list[Arc], int]:
        """Return the arcs of a row, and how many of them are used at least."""
        (ahead,) = fields(data, "ahead")
        sides = [set(positions(side, self.n)) for side in sequence(ahead, "two sides")]
        require(len(sides) == 2 and all(sides), "a row has two sides")
        upper, lower = sides
        require(not upper & lower, "an item is on both sides of a row")
        self.work.spend(len(upper) * len(lower) + sum(len(items) for items, *_ in self.quotas))
        steps = [
            (k - q + len(lower.intersection(items)), q - len(set(items) - upper))
            for items, k, q in self.quotas
        ]
        # Each of the lower ones, counted from the first, has so many of the upper ones before it.
        least = sum(
            max((inside for most, inside in steps if most <= at and inside > 0), default=0)
            for at in range(len(lower))
        )
        return list(product(upper, lower)), least

    def check(self, order: list[int]) -> None:
        """Raise where an order breaks one."""
        at = {i: place for place, i in enumerate(order)}
        has = [at[i] < at[j] for i, row in enumerate(self.case) for j in members(row)]
        has += [sum(at[i] < k for i in items) >= q for items, k, q in self.quotas]
        require(all(has), "the ranking breaks a constraint")


def members(bits: int) -> Iterator[int]:
    """Yield the positions of the bits that are set, the lowest first."""
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low


def decided(case: Case, new: list[Arc]) -> Case:
    """Return a case with more pairs decided, and what follows; None where that is a cycle."""
    if case is None or not new:
        return case
    case = list(case)
    if len(new) == 1:
        ((i, j),) = new
        below = case[j] | 1 << j
        case = [row | below if row >> i & 1 or a == i else row for a, row in enumerate(case)]
    else:
        for i, j in new:
            case[i] |= 1 << j
        for k in range(len(case)):
            bit, behind = 1 << k, case[k]
            case = [row | behind if row & bit else row for row in case]
    return None if any(row >> i & 1 for i, row in enumerate(case)) else case


# -- the bound of one part: a tree of cases -------------------------------------------------------


class Part(ABC):
    """What the items of one proof cost; kinds of certificates say which nodes there are."""

    n: int
    floor: int
    step: int
    root: Any

    def __init__(self, some: list[int], work: Work) -> None:
        require(len(some) >= 2, "a part has two positions or more")
        self.where = {position: at for at, position in enumerate(some)}
        self.n, self.work = len(some), work

    @abstractmethod
    def look(self, node: Any, case: Any) -> Looked:
        """Return what the orders cost at least that end here, and the cases below."""

    def places(self, data: Any, length: int | None = None) -> list[int]:
        found = positions(data, LARGEST, length)
        require(all(p in self.where for p in found), "a position is outside of the part")
        return [self.where[p] for p in found]

    def lift(self, bound: int) -> int:
        """Return the next cost that an order can have, from a bound times UNIT."""
        above = bound - self.floor * UNIT
        steps = -(-above // (self.step * UNIT)) if self.step else 0
        return self.floor + max(0, steps) * self.step

    def bound(self, nodes: Any) -> int:
        """Return the least that the cases leave; every node is taken once."""
        require(sequence(nodes, "nodes"), "a proof has no nodes")
        cases, bounds = {0: self.root}, []
        for at, node in enumerate(nodes):
            self.work.spend(self.n)
            self.work.hold(len(cases) * self.n * (self.n / 8 + NUMBER))
            require(at in cases and type(node) is dict, "a node is no child of one before it")
            case = cases.pop(at)
            least, below = self.look(node, case)
            if least is not None and case is not None:
                bounds.append(least)
            for child, left in below:
                integer(child, at + 1, len(nodes) - 1)
                require(child not in cases, "a node has two parents")
                cases[child] = left
        require(bounds, "every case contradicts itself")
        return min(bounds)


class StrictPart(Part):
    """Costs of placing row before column."""

    def __init__(
        self, cost: Callable[[int, int], int], some: list[int], case: list[int], work: Work
    ) -> None:
        super().__init__(some, work)
        work.spend(self.n**2)
        work.hold(self.n**2 * 2 * NUMBER)
        self.cost = [[cost(a, b) for b in some] for a in some]
        pairs = [(i, j) for i in range(self.n) for j in range(i)]
        self.floor = sum(min(self.cost[i][j], self.cost[j][i]) for i, j in pairs)
        self.step = gcd(*(self.cost[i][j] - self.cost[j][i] for i, j in pairs))
        inside = sum(1 << position for position in some)
        self.root = [sum(1 << self.where[j] for j in members(case[i] & inside)) for i in some]
        self.is_free = not any(self.root)
        self.rows: list[Form] = []
        self.in_chain = True  # as long as all nodes said what every optimum has
        self.is_first = True

    @cached_property
    def dear(self) -> list[int]:
        """For each place those that it is dearer before than behind, as bits."""
        cost, places = self.cost, range(self.n)
        return [sum(1 << j for j in places if cost[i][j] > cost[j][i]) for i in places]

    @cached_property
    def apart(self) -> list[tuple[int, int, int]]:
        """How much dearer i is before j than behind it, with i and j, the most first."""
        self.work.hold(self.n**2 * NUMBER * 2)
        cost = self.cost
        gaps = (
            (cost[i][j] - cost[j][i], i, j) for i, row in enumerate(self.dear) for j in members(row)
        )
        return sorted(gaps, reverse=True)

    def extra(self, case: list[int]) -> int:
        """Return what decided pairs cost more than their cheaper direction."""
        cost = self.cost
        return sum(
            cost[i][j] - cost[j][i]
            for i, row in enumerate(case)
            for j in members(row & self.dear[i])
        )

    def look(self, node: Any, case: Any) -> Looked:
        is_first, self.is_first = self.is_first, False
        if "enumeration" in node:
            require(fields(node, "enumeration")[0] is True, "an enumeration is true")
            require(is_first and self.n <= 20, "an enumeration stands alone, for 20 items")
            require(self.is_free, "constraints hold items of an enumeration")
            return self.enumerate(), []
        if "exchange" in node or "cut" in node:
            require(self.in_chain and self.is_free, "an exchange or a cut may not stand here")
            case = decided(case, self.persistent(node, case))
            require(case is not None, "pairs of every optimum contradict each other")
            return None, [(node.get("rest"), case)]
        self.in_chain = False
        if "pair" in node:
            pair, before, after = fields(node, "pair", "before", "after")
            i, j = self.places(pair, 2)
            return None, [(before, decided(case, [(i, j)])), (after, decided(case, [(j, i)]))]
        if "threshold" in node:
            cycles, rows, limit, rest = fields(node, "cycles", "rows", "threshold", "rest")
            off, paid = self.taken(cycles, rows)
            return integer(limit), [(rest, self.fixed(case, off, paid, integer(limit)))]
        off, paid = self.taken(*fields(node, "cycles", "rows"))
        return None if case is None else self.lift(self.total(case, off, paid)), []

    def derive(self, rows: Any, given: StatedConstraints | None) -> None:
        """Read the derived rows: for each what its arcs count, and what they reach at least."""
        held = 0
        for row in sequence(rows, "rows"):
            terms, divisor = fields(row, "terms", "divisor")
            require(sequence(terms, "terms"), "a row has no terms")
            integer(divisor, 1, COUNT)
            counts: dict[Arc, int] = {}
            least = 0
            for term in terms:
                require(len(sequence(term, "terms")) == 2, "a term is a number and a row")
                times, source = integer(term[0], 1, COUNT), self.source(term[1], given)
                self.work.spend(len(source[0]))
                for arc, count in source[0].items():
                    counts[arc] = counts.get(arc, 0) + times * count
                least += times * source[1]
            for i, j in list(counts):  # an order uses exactly one of i -> j and j -> i
                both = min(counts[i, j], counts.get((j, i), 0))
                if both:
                    counts[i, j], counts[j, i] = counts[i, j] - both, counts[j, i] - both
                    least -= both
            counts = {arc: -(-count // divisor) for arc, count in counts.items() if count}
            least = -(-least // divisor)
            require(max(map(abs, (least, *counts.values()))) <= COUNT, "a row counts too much")
            held += len(counts) * ENTRY
            self.work.hold(held)
            self.rows.append((counts, least))

    def source(self, data: Any, given: StatedConstraints | None) -> Form:
        if type(data) is list:
            items = self.places(data)
            require(len(items) >= 2, "a cycle has two items or more")
            if len(items) == 2:  # an arc by itself, which is used no less than never
                return {(items[0], items[1]): 1}, 0
            return dict.fromkeys(zip(items, items[1:] + items[:1], strict=True), 1), 1
        if type(data) is dict:
            require(given, "a row of constraints where there are none")
            self.is_free = False  # what moves items takes orders that break constraints
            arcs, least = given.row(data) if given else ([], 0)
            return {(i, j): 1 for i, j in (self.places(list(arc)) for arc in arcs)}, least
        return self.rows[integer(data, 0, len(self.rows) - 1)]

    def taken(self, cycles: Any, rows: Any) -> tuple[dict[Arc, int], int]:
        """Return what weighted rows take off each arc, and what every order pays for that."""
        off: dict[Arc, int] = {}
        paid = 0
        most = self.n * (self.n - 1) * (self.n - 2) // 3
        require(len(sequence(cycles, "cycles")) <= most, "too many cycles")
        for cycle in cycles:
            *corners, weight = integers(cycle, 0, LARGEST, 4)
            require(weight > 0, "a weight is not positive")
            a, b, c = self.places(corners)
            paid += weight
            for arc in ((a, b), (b, c), (c, a)):
                off[arc] = off.get(arc, 0) + weight
        for row in sequence(rows, "rows"):
            at, weight = integers(row, 0, LARGEST, 2)
            require(at < len(self.rows) and weight > 0, "a row or its weight is none")
            counts, least = self.rows[at]
            self.work.spend(len(counts))
            paid += weight * least
            for arc, count in counts.items():
                off[arc] = off.get(arc, 0) + weight * count
        return off, paid

    def priced(self, off: dict[Arc, int]) -> Iterator[tuple[int, int, int, int]]:
        """Yield the pairs that rows touch, with what both directions cost without them."""
        for (i, j), amount in off.items():
            if i < j or (j, i) not in off:
                yield (
                    i,
                    j,
                    UNIT * self.cost[i][j] - amount,
                    UNIT * self.cost[j][i] - off.get((j, i), 0),
                )

    def total(self, case: list[int], off: dict[Arc, int], paid: int) -> int:
        """Return the sum of the decided or cheaper directions of all pairs, and what is paid."""
        total = UNIT * (self.floor + self.extra(case)) + paid
        for i, j, ahead, behind in self.priced(off):
            own = UNIT * self.cost[i][j], UNIT * self.cost[j][i]
            if case[i] >> j & 1:
                total += ahead - own[0]
            elif case[j] >> i & 1:
                total += behind - own[1]
            else:
                total += min(ahead, behind) - min(own)
        return total

    def fixed(self, case: Case, off: dict[Arc, int], paid: int, threshold: int) -> Case:
        """Return the case that is left when dearer sides that reach the threshold are gone."""
        if case is None or self.lift(total := self.total(case, off, paid)) >= threshold:
            return None
        # What is dearer by more than this is lifted to the threshold.
        room = inf
        if self.step:
            steps = -(-(threshold - self.floor) // self.step) - 1
            room = (self.floor + steps * self.step) * UNIT - total
        new = []
        for gap, i, j in self.apart:
            if UNIT * gap <= room:
                break
            if (i, j) not in off and (j, i) not in off:
                new.append((j, i))
        for i, j, ahead, behind in self.priced(off):
            if abs(ahead - behind) > room:
                new.append((i, j) if ahead < behind else (j, i))
        return decided(case, [(i, j) for i, j in new if not (case[i] >> j & 1 or case[j] >> i & 1)])

    def persistent(self, node: Any, known: list[int]) -> list[Arc]:
        """Return pairs that every optimum has, after checking that it must."""

        def gain(i: int, j: int) -> int:
            return self.cost[j][i] - self.cost[i][j]

        above: Any = []
        if "exchange" in node:
            pairs, up, down, _ = fields(node, "exchange", "up", "down", "rest")
            integers([up, down], 0, COUNT)
        else:
            above, pairs, _ = fields(node, "above", "cut", "rest")
        upper = set(self.places(above))
        require(sequence(pairs, "pairs"), "there are no pairs")
        places = [self.places(pair, 2) for pair in pairs]
        self.work.spend(len(places) * self.n)
        behind = [sum(1 << k for k in range(self.n) if known[k] >> y & 1) for y in range(self.n)]
        everybody = (1 << self.n) - 1
        for x, y in places:
            between = set(members(everybody & ~(behind[y] | known[x])))
            if "exchange" in node:
                self.work.spend(len(between))
                gains = [up * gain(x, k) + down * gain(k, y) for k in between - {x, y}]
                total = (up + down) * gain(x, y)
            else:
                require(x in upper and y not in upper, "a pair is not across its cut")
                highs, lows = between & upper, between - upper
                self.work.spend(len(highs) * len(lows))
                gains = [gain(u, v) for u, v in product(highs, lows) if not known[u] >> v & 1]
                total = gain(x, y)
            require(total + sum(min(0, g) for g in gains) > 0, "a pair is not so in every optimum")
        return [(x, y) for x, y in places]

    def enumerate(self) -> int:
        """Return the least cost of all orders."""
        self.work.hold(2**self.n * NUMBER)
        self.work.spend(2**self.n * self.n)
        best = [0] * 2**self.n  # of each set of items, which is a number whose bits they are
        paid = [0] * self.n  # what each costs behind the items of the set
        for some in range(1, 2**self.n):
            for k in members(some ^ (some - 1)):
                sign = 1 if some >> k & 1 else -1
                paid = [p + sign * c for p, c in zip(paid, self.cost[k], strict=True)]
            best[some] = min(best[some ^ 1 << k] + paid[k] for k in members(some))
            if not some % 4096:
                self.work.spend()
        return best[-1]


# -- rankings that may tie items ------------------------------------------------------------------

ABOVE, TIED, BELOW = range(3)


class WeakCase:
    """What is known of a weak order: who is not below whom, and who is above whom, as bits."""

    def __init__(self, not_below: list[int], above: list[int]) -> None:
        self.not_below, self.above = not_below, above

    def learn(self, statements: Iterable[tuple[int, int, bool]]) -> WeakCase | None:
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
        return None if any(strict[i] >> i & 1 for i in range(n)) else WeakCase(weak, strict)

    def places(self, i: int, j: int) -> list[int]:
        """Return where i may stand to j."""
        i_above, j_above = self.above[i] >> j & 1, self.above[j] >> i & 1
        is_open = (
            not self.not_below[j] >> i & 1,
            not i_above and not j_above,
            not self.not_below[i] >> j & 1,
        )
        return [place for place in (ABOVE, TIED, BELOW) if is_open[place]]


class WeakPart(Part):
    """What pairs cost: i above j, tied, i below j for each pair i < j."""

    def __init__(
        self, cost: Callable[[int, int], tuple[int, int, int]], some: list[int], work: Work
    ) -> None:
        super().__init__(some, work)
        work.spend(self.n**2)
        work.hold(self.n**2 * 4 * ENTRY)
        pairs = [(i, j) for j in range(self.n) for i in range(j)]
        self.cost = {(i, j): cost(some[i], some[j]) for i, j in pairs}
        self.floor = sum(map(min, self.cost.values()))
        self.step = gcd(*(three[k] - three[TIED] for three in self.cost.values() for k in (0, 2)))
        self.root = WeakCase([1 << i for i in range(self.n)], [0] * self.n)

    def look(self, node: Any, case: Any) -> Looked:
        self.work.spend(4 * self.n**2)
        if "pair" in node:
            pair, *children = fields(node, "pair", "not_below", "below")
            i, j = self.places(pair, 2)
            ways = zip(children, (False, True), strict=True)
            return None, [(child, case and case.learn([(i, j, way)])) for child, way in ways]
        if "threshold" in node:
            rows, limit, rest = fields(node, "rows", "threshold", "rest")
            price, total = self.priced(rows, case)
            return integer(limit), [(rest, self.fixed(case, price, total, integer(limit)))]
        price, total = self.priced(fields(node, "rows")[0], case)
        return self.lift(total), []

    def priced(self, rows: Any, case: WeakCase | None) -> tuple[dict[Arc, list[int]], int]:
        """Return the prices of all places with the rows added, and the bound of the case."""
        most = self.n * (self.n - 1) * (self.n - 2)
        require(len(sequence(rows, "rows")) <= most, "too many rows")
        price = {pair: [UNIT * c for c in three] for pair, three in self.cost.items()}
        total = 0
        for row in rows:
            *corners, weight = integers(row, 0, LARGEST, 4)
            require(weight > 0, "a weight is not positive")
            a, b, c = self.places(corners)
            total -= weight
            for i, j, w in ((a, b, weight), (b, c, weight), (a, c, -weight)):
                # Paid where i is not below j: above it or tied.
                for place in (ABOVE, TIED) if i < j else (TIED, BELOW):
                    price[min(i, j), max(i, j)][place] += w
        if case is not None:
            total += sum(min(three[p] for p in case.places(*pair)) for pair, three in price.items())
        return price, total

    def fixed(
        self, case: WeakCase | None, price: dict[Arc, list[int]], total: int, threshold: int
    ) -> WeakCase | None:
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


# -- the statements -------------------------------------------------------------------------------


class Statement(ABC):
    """What a certificate states of an order, and what its proofs show; a kind has the details."""

    schema: ClassVar[str]
    called: ClassVar[str]
    own: ClassVar[tuple[str, ...]]
    optional: ClassVar[tuple[str, ...]] = ()
    whole: int  # costs are over the denominator of the votes times this

    def __init__(self, certificate: Any, votes: Any, work: Work) -> None:
        optional = [key for key in self.optional if key in certificate]
        keys = (*STATED, *self.own, *optional)
        self.data = data = dict(zip(keys, fields(certificate, *keys), strict=True))
        integer(data["version"], 1, 1)
        integer(data.get("weight_denominator", UNIT), UNIT, UNIT)
        self.votes, self.work = Votes(votes, work), work
        n = self.votes.n
        require(labels(data["items"]) == self.votes.names, "the items are not those of the votes")
        require(data["fingerprint"] == self.votes.fingerprint(), "it is for other votes")
        self.wanted, denominator = integer(data["scaled_lower_bound"]), integer(data["denominator"])
        total = self.cost()
        require(denominator == self.votes.denominator * self.whole, "the denominator is another")
        within = self.votes.off * n * (n - 1)
        require(fraction(data["tolerance"]) == within, "the tolerance is another")
        stated = integer(data["scaled_cost"])
        require(stated == total, f"the {self.called} costs {total}/{denominator}")
        proved = self.proved()
        require(self.wanted <= min(proved, total), f"only {proved}/{denominator} is proved")
        met = "optimal" if self.wanted == total else "gap"
        require(data["status"] == met, "the status is another")
        claims = [str(Fraction(x, denominator)) for x in (total, self.wanted)]
        require([data["cost"], data["lower_bound"]] == claims, "cost or bound is printed wrong")
        price = data.get("consensus_tie_cost")
        tied = "" if price is None else f", a vote on a tied pair {price}"
        self.sentence = (
            f"The proof holds: the {self.called} {self.written()} costs {claims[0]} (a tied vote "
            f"costs {data['tie_cost']}{tied}), and "
            f"none{' under its constraints' if optional else ''} less than {claims[1]}."
        )

    @abstractmethod
    def levels(self) -> list[list[int]]:
        """Return the items, the best first; those that are tied stand together."""

    def written(self) -> str:
        """Return the order with the names of the items, in the middle cut where it is long."""
        parts = [" = ".join(str(self.votes.names[i]) for i in some) for some in self.levels()]
        return " > ".join(parts if len(parts) <= SHOWN else [*parts[: SHOWN - 2], "...", parts[-1]])

    @abstractmethod
    def cost(self) -> int:
        """Read what the order is, and return what it costs."""

    @abstractmethod
    def proved(self) -> int:
        """Return what no order costs less than, by the proofs."""

    def proofs(self, n: int, *keys: str) -> Iterator[list[Any]]:
        """Yield the members of each proof; those of positions are distinct."""
        taken: set[int] = set()
        for proof in sequence(self.data["proofs"], "proofs"):
            some, *others = fields(proof, "positions", *keys)
            require(not taken & set(positions(some, n)), "two proofs share an item")
            taken |= set(some)
            yield [some, *others]


class Strict(Statement):
    """That no ranking without ties costs less."""

    schema, called = "rankagg.certificate", "ranking"
    own, optional = ("order", "weight_denominator", "proofs"), ("constraints",)

    def cost(self) -> int:
        votes, tie = self.votes, share(self.data["tie_cost"])
        self.whole = tie.denominator
        self.order = positions(self.data["order"], votes.n, votes.n)
        place = {i: at for at, i in enumerate(self.order)}
        self.constant = sum(x for i, row in enumerate(votes.ties) for j, x in row.items() if i > j)
        self.constant *= tie.numerator
        against = (
            x for i, row in enumerate(votes.wins) for j, x in row.items() if place[i] > place[j]
        )
        return self.constant + sum(against) * self.whole

    def levels(self) -> list[list[int]]:
        return [[i] for i in self.order]

    def before(self, i: int, j: int) -> int:
        """Return what i before j costs."""
        return self.votes.won(j, i) * self.whole

    def proved(self) -> int:
        n, case, held = self.votes.n, [0] * self.votes.n, None
        if "constraints" in self.data:
            held = StatedConstraints(self.data["constraints"], n, self.work)
            held.check(self.order)
            case = held.case
        total = self.constant
        for i, j in self.votes.pairs():
            total += min(self.before(i, j), self.before(j, i))
        for i, row in enumerate(case):
            total += sum(max(self.before(i, j) - self.before(j, i), 0) for j in members(row))
        for some, derived, nodes in self.proofs(n, "rows", "nodes"):
            part = StrictPart(self.before, some, case, self.work)
            part.derive(derived, held)
            total += part.bound(nodes) - part.floor - part.extra(part.root)
        return total


class Weak(Statement):
    """That no ranking with ties costs less."""

    schema, called = "rankagg.weak_certificate", "weak order"
    own = ("consensus_tie_cost", "buckets", "weight_denominator", "proofs")

    def cost(self) -> int:
        voted, agreed = share(self.data["tie_cost"]), share(self.data["consensus_tie_cost"])
        self.whole = lcm(voted.denominator, agreed.denominator)
        self.voted, self.agreed = int(voted * self.whole), int(agreed * self.whole)
        level: dict[int, int] = {}
        for at, bucket in enumerate(sequence(self.data["buckets"], "buckets")):
            some = positions(bucket, self.votes.n)
            require(sorted(some) == some != [], "a bucket is not ascending")
            require(not level.keys() & set(some), "a bucket has an item of another")
            level |= dict.fromkeys(some, at)
        require(len(level) == self.votes.n, "the buckets are no weak order")
        return sum(
            self.three(i, j)[1 + (level[i] > level[j]) - (level[i] < level[j])]
            for i, j in self.votes.pairs()
        )

    def levels(self) -> list[list[int]]:
        return list(self.data["buckets"])

    def three(self, i: int, j: int) -> tuple[int, int, int]:
        """Return what i above j costs, the two tied, and i below j."""
        votes = self.votes
        tie = self.voted * votes.tied(i, j)
        both = self.agreed * (votes.won(i, j) + votes.won(j, i))
        return self.whole * votes.won(j, i) + tie, both, self.whole * votes.won(i, j) + tie

    def proved(self) -> int:
        total = sum(min(self.three(i, j)) for i, j in self.votes.pairs())
        for some, nodes in self.proofs(self.votes.n, "nodes"):
            part = WeakPart(self.three, some, self.work)
            total += part.bound(nodes) - part.floor
        return total


KINDS = {kind.schema: kind for kind in (Strict, Weak)}


def check(certificate: Any, votes: Any, work: Work | None = None) -> str:
    """Return what is proved, in one sentence."""
    schema = certificate.get("schema") if type(certificate) is dict else None
    require(type(schema) is str and schema in KINDS, "this is no certificate")
    return KINDS[str(schema)](certificate, votes, work or Work()).sentence


def main() -> None:
    """Check the files that the command line names."""
    parser = argparse.ArgumentParser(description="Check a certificate against votes.")
    parser.add_argument("certificate", type=Path)
    parser.add_argument("votes", type=Path)
    parser.add_argument("--time-limit", type=float, default=SECONDS, metavar="SECONDS")
    parser.add_argument("--memory-limit", type=float, default=BYTES, metavar="BYTES")
    options = parser.parse_args()
    work = Work(options.time_limit, options.memory_limit)
    try:
        paths = (options.certificate, options.votes)
        work.hold(16 * sum(path.stat().st_size for path in paths))
        certificate, votes = (parse(path.read_text(encoding="utf-8")) for path in paths)
        sys.stdout.write(check(certificate, votes, work) + "\n")
    except RefusedError as error:
        sys.exit(f"The proof does not hold: {error}.")
    except (OSError, UnicodeDecodeError) as error:
        parser.error(f"a file cannot be read: {error}")
    except BudgetError as error:
        sys.stderr.write(f"Not checked within the budget: {error}.\n")
        sys.exit(3)


if __name__ == "__main__":
    main()
