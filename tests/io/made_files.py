"""Files of all kinds, clean and odd, with what is in them: each is drawn from a seed.

What a file holds is known from how it was made, and not from any reader. None says that nobody can
know it from the file alone: to be certain of anything is wrong then.
"""

import csv
import io
from collections import Counter
from typing import Any, NamedTuple

import numpy as np

import rankagg as ra

NAMES = [
    *("Ann", "Bob", "Cid", "Dee", "Eve", "Fay", "Gus", "Hal", "Ida", "Jim", "Kay", "Lou", "Max"),
    *("BERT-base", "GPT 4", "T5", "Llama-2 (7b)", "x_1", "Ünal", "O'Neil", "La Paz", "TP53", "MYC"),
]


class Made(NamedTuple):
    """A file."""

    kind: str
    name: str
    data: bytes
    # What it holds as `content` tells it; None where only the user knows.
    truth: Any
    # What is odd about it, "" where it is clean.
    odd: str


def content(data: Any) -> Any:
    """Return what data say, without the order in which they say it."""
    if isinstance(data, ra.io.CastVotes):
        return content(data.profile)
    if isinstance(data, ra.Profile):
        items = [str(item) for item in data.items]
        found: Counter[Any] = Counter()
        for row, count, weight in zip(data.ranks.tolist(), data.counts, data.weights, strict=True):
            found[frozenset(zip(items, row, strict=True)), float(weight)] += int(count)
        return found
    if isinstance(data, ra.ScoreTable):
        frame = data.to_frame()
        instances = data.instances or [""] * data.n_units
        units = list(
            zip(map(str, data.tasks.at(data.unit_tasks)), map(str, instances), strict=True)
        )
        return {
            (str(system), *unit): value
            for system, row in zip(frame.index, data.values.tolist(), strict=True)
            for unit, value in zip(units, row, strict=True)
            if not np.isnan(value)
        }
    if isinstance(data, ra.Comparisons):
        items = [str(item) for item in data.items]
        weights = [1.0] * len(data.first) if data.weights is None else data.weights
        rows = zip(data.first, data.second, data.outcomes, weights, strict=True)
        return Counter((items[a], items[b], int(won), float(w)) for a, b, won, w in rows)
    return data


def ballots_of(rows: list[dict[str, float]], items: list[str]) -> Counter[Any]:
    """Return what `content` says of rankings: the ranks of items from 1."""
    found: Counter[Any] = Counter()
    for row in rows:
        places = {x: sum(other < rank for other in row.values()) for x, rank in row.items()}
        found[frozenset((x, places.get(x, -2)) for x in items), 1.0] += 1
    return found


class Maker:
    """Draws files from a seed."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def pick(self, *choices: Any) -> Any:
        return choices[int(self.rng.integers(len(choices)))]

    def some(self, low: int, high: int) -> int:
        return int(self.rng.integers(low, high + 1))

    def labels(self, n: int) -> list[str]:
        if self.numeric:
            return [str(x) for x in self.rng.permutation(n) + self.pick(0, 1, 100)]
        if n > len(NAMES) or self.rng.random() < 0.3:
            return [f"{self.pick('m', 'doc', 'Item ')}{x}" for x in range(n)]
        return [NAMES[at] for at in self.rng.permutation(len(NAMES))[:n]]

    def heading(self, *words: str) -> str:
        word = self.pick(*words)
        return {"upper": word.upper(), "title": word.title()}.get(self.odd, word)

    def table(self, kind: str, rows: list[list[Any]], truth: Any) -> Made:
        """Write rows, the header first, in an odd way or a clean one."""
        odd, rows = self.odd, [["" if x is None else x for x in row] for row in rows]
        if odd == "text column":
            words = [self.pick("org a", "org b", "none given") for _ in rows]
            rows = [[*row, "organization" if at == 0 else words[at]] for at, row in enumerate(rows)]
        if odd == "number column":
            word = self.pick("id", "year", "params", "timestamp")
            rows = [[*row, word if at == 0 else 2000 + 3 * at] for at, row in enumerate(rows)]
        # A text next to scores is left out, and either of them next to ranks, with a message.
        may_count = kind == "lists wide" or (kind == "scores wide" and odd == "number column")
        if odd in ("text column", "number column") and may_count:
            truth = None
        target = io.StringIO()
        sign = {"semicolons": ";", "tabs": "\t"}.get(odd, ",")
        quoting = csv.QUOTE_ALL if odd == "quoted" else csv.QUOTE_MINIMAL
        ends = "\r\n" if odd == "crlf" else "\n"
        csv.writer(target, delimiter=sign, quoting=quoting, lineterminator=ends).writerows(rows)
        text = target.getvalue()
        if odd == "comment":
            text = f"# written on {self.pick('Monday', '2024-01-01')}\n{text}"
        if odd == "no header":
            text, truth = text.partition(ends)[2], None
        data = (b"\xef\xbb\xbf" if odd == "bom" else b"") + text.encode()
        return Made(kind, f"{self.pick('data', 'x')}.{self.pick('csv', 'txt')}", data, truth, odd)

    def make(self) -> Made:
        """Return a file of any kind, clean every other time."""
        self.odd = "" if self.rng.random() < 0.5 else self.pick(*ODD)
        self.numeric = self.odd == "numeric names"
        return getattr(self, self.pick(*KINDS))()

    # -- scores -------------------------------------------------------------------------------

    def numbers(self, *shape: int) -> np.ndarray:
        if self.odd == "integers":
            return self.rng.integers(0, self.pick(100, 1000), shape).astype(float)
        scale = self.pick(1, 100)
        values = np.round(self.rng.random(shape) * scale, self.pick(2, 4))
        if self.odd == "missing":
            values[self.rng.random(shape) < 0.15] = np.nan
        return values

    def cell(self, value: float) -> Any:
        if np.isnan(value):
            return self.pick("", "NA", "nan")
        return int(value) if self.odd == "integers" else value

    def scores_wide(self) -> Made:
        systems, tasks = self.labels(self.some(3, 12)), TASKS[: self.some(1, 6)]
        values = self.numbers(len(systems), len(tasks))
        values[0] = np.nan_to_num(values[0], nan=0.37)
        head = self.heading("system", "model", "Model", "name", "", "LLM", "Modell", "approach")
        rows = [[head, *tasks]]
        rows += [[s, *map(self.cell, row)] for s, row in zip(systems, values, strict=True)]
        known = zip(systems, values.tolist(), strict=True)
        truth = {
            (s, t, ""): v
            for s, row in known
            for t, v in zip(tasks, row, strict=True)
            if not np.isnan(v)
        }
        return self.table("scores wide", rows, truth)

    def scores_long(self) -> Made:
        systems, tasks = self.labels(self.some(3, 8)), TASKS[: self.some(2, 5)]
        values = self.numbers(len(systems), len(tasks))
        values[0] = np.nan_to_num(values[0], nan=0.37)
        head = [self.heading("system", "model"), self.heading("task", "dataset", "benchmark")]
        rows: list[list[Any]] = [[*head, self.heading("score", "accuracy", "value")]]
        truth = {}
        for s, row in zip(systems, values.tolist(), strict=True):
            for t, v in zip(tasks, row, strict=True):
                rows.append([s, t, self.cell(v)])
                truth |= {} if np.isnan(v) else {(s, t, ""): v}
        return self.table("scores long", rows, None if self.numeric else truth)

    # -- ballots ------------------------------------------------------------------------------

    def orders(self, items: list[str], n: int, least: int) -> list[list[str]]:
        sizes = self.rng.integers(least, len(items) + 1, n)
        return [[items[x] for x in self.rng.permutation(len(items))[:k]] for k in sizes]

    def ballots(self, counts: bool = False) -> Made:
        items = self.labels(self.some(4, 8))
        orders = self.orders(items, self.some(6, 20), 1 if self.odd == "missing" else len(items))
        ranks = [{x: at for at, x in enumerate(order, start=1)} for order in orders]
        if self.odd == "ties":
            ranks = [{x: 1 if at == 2 else at for x, at in one.items()} for one in ranks]
        rows: list[list[Any]] = [[*items]]
        rows += [[one.get(x) for x in items] for one in ranks]
        truth = ballots_of(ranks, items)
        if counts:
            times = self.rng.integers(1, 30, len(ranks)).tolist()
            head = self.heading("count", "n")
            rows = [[*row, n] for row, n in zip(rows, [head, *times], strict=True)]
            truth = Counter()
            for one, n in zip(ranks, times, strict=True):
                truth[next(iter(ballots_of([one], items)))] += n
        else:
            head = self.heading("voter", "judge", "ballot", "assessor", "respondent")
            rows = [[head if at == 0 else f"v{at}", *row] for at, row in enumerate(rows)]
        return self.table("ballots", rows, truth)

    def ballots_counted(self) -> Made:
        return self.ballots(counts=True)

    def cast_wide(self) -> Made:
        items, n = self.labels(self.some(4, 8)), self.some(3, 5)
        orders = [order[:n] for order in self.orders(items, self.some(8, 30), 1)]
        orders[0] = items[:n]
        shape = self.pick("Rank {}", "rank{}", "Choice {}", "{} CHOICE", "choice_{}", "{} choice")
        names = [
            shape.format(self.ordinal(at) if shape[0] == "{" else at) for at in range(1, n + 1)
        ]
        blank = self.pick("", "undervote", "Undervote")
        rows = [[*names], *([*one, *[blank] * (n - len(one))] for one in orders)]
        if self.odd == "extra front":
            rows = [["precinct" if at == 0 else f"P-{at % 3}", *row] for at, row in enumerate(rows)]
        known = sorted({x for one in orders for x in one})
        ranks = [{x: at for at, x in enumerate(one, start=1)} for one in orders]
        truth = None if self.numeric else ballots_of(ranks, known)
        return self.table("cast votes", rows, truth)

    def ordinal(self, number: int) -> str:
        return ["1st", "2nd", "3rd", "4th", "5th"][number - 1]

    def long_lists(self, cast: bool = False) -> Made:
        orders = self.orders(self.labels(self.some(5, 12)), self.some(3, 8), 2)
        lists = [f"{self.pick('s', 'L')}{at}" for at in range(len(orders))]
        heads = ("ballot", self.heading("candidate"), self.heading("rank"))
        if not cast:
            heads = (
                self.heading("list", "study", "source", "experiment"),
                self.heading("item", "gene", "document"),
                self.heading("rank", "position", "place"),
            )
        rows: list[list[Any]] = [list(heads)]
        for called, order in zip(lists, orders, strict=True):
            rows += [[called, x, at] for at, x in enumerate(order, start=1)]
        if self.odd == "shuffled":
            rows = [rows[0], *(rows[1 + x] for x in self.rng.permutation(len(rows) - 1))]
        known = sorted({x for one in orders for x in one})
        ranks = [{x: at for at, x in enumerate(one, start=1)} for one in orders]
        truth = None if cast else ballots_of(ranks, known)
        return self.table("cast long" if cast else "lists long", rows, truth)

    def cast_long(self) -> Made:
        return self.long_lists(cast=True)

    def lists_wide(self) -> Made:
        orders = self.orders(self.labels(self.some(6, 20)), self.some(2, 6), 4)
        depth = max(map(len, orders))
        kind = ("lab", "study ", "Platform ")
        names = [f"{self.pick(*kind)}{chr(97 + at)}" for at in range(len(orders))]
        rows: list[list[Any]] = [names]
        rows += [[one[at] if at < len(one) else None for one in orders] for at in range(depth)]
        known = sorted({x for one in orders for x in one})
        ranks = [{x: at for at, x in enumerate(one, start=1)} for one in orders]
        # Two columns of names may be pairs.
        is_known = not self.numeric and len(set(names)) == len(names) > 2
        truth = ballots_of(ranks, known) if is_known else None
        return self.table("lists wide", rows, truth)

    # -- pairs --------------------------------------------------------------------------------

    def comparisons(self) -> Made:
        items = self.labels(self.some(3, 8))
        one, other = self.pick(
            ("model_a", "model_b"), ("left", "right"), ("player1", "player2"),
            ("first", "second"), ("Response A", "Response B"),
        )  # fmt: skip
        by_name = self.rng.random() < 0.5
        words = {"model_a": ("model_a", "model_b"), "left": ("left", "right")}.get(one, ("a", "b"))
        outcome = self.heading("winner", "outcome", "result", "preference")
        rows: list[list[Any]] = [[one, other, outcome]]
        truth: Counter[Any] = Counter()
        for at in range(self.some(12, 40)):
            a, b = (items[x] for x in self.rng.permutation(len(items))[:2])
            won = self.pick(1, 1, -1, -1, 0) if at else 1
            word = {1: a if by_name else words[0], -1: b if by_name else words[1], 0: "tie"}[won]
            rows.append([a, b, word])
            truth[a, b, won, 1.0] += 1
        if self.odd == "extra front":
            rows = [["judge" if at == 0 else f"j{at % 3}", *row] for at, row in enumerate(rows)]
        if self.numeric and by_name:
            truth = None  # type: ignore[assignment]
        return self.table("comparisons", rows, truth)


TASKS = ["CoLA", "SST-2", "MRPC", "QNLI", "boolq", "wsc"]
KINDS = (
    *("scores_wide", "scores_wide", "scores_long", "ballots", "ballots_counted"),
    *("cast_wide", "cast_long", "long_lists", "lists_wide", "comparisons", "comparisons"),
)
ODD = (
    *("text column", "number column", "quoted", "semicolons", "tabs", "bom", "crlf", "upper"),
    *("title", "integers", "numeric names", "missing", "comment", "no header", "ties", "shuffled"),
    "extra front",
)
