"""The papers' own programs: how they are run, what they print, and what explains it.

`papers_environment` makes the folder that they are in. What their code does beside the papers'
definitions is computed here from rankings made by this package, or by the sort of their Python;
nothing of it is in the package.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import factorial
from pathlib import Path
from typing import Any

import numpy as np

import rankagg as ra
from rankagg._typing import Floats, Ranks
from rankagg.core.rankings import places

__all__ = ["MISSING_DATA_RANKING", "RANKING_NLP_SYSTEMS", "Case", "Explanation", "Program", "ours"]

MEAN, BORDA, TWO_LEVELS = "Mean", "Borda", "TwoLevel(Borda, Borda)"
PRINTED = {"mean": MEAN, "1 level": BORDA, "2 level": TWO_LEVELS}
NUMBERS = re.compile(
    r"Results of the (mean|1 level|2 level) ranking \[.*?\] : \[(.*?)\]", re.DOTALL
)
NAMES = re.compile(r"(Mean|1 level|2 level) ranking : (\[.*\])$", re.MULTILINE)
OPTIONS = {MEAN: "mean", BORDA: "borda", TWO_LEVELS: "two-level-borda"}

RULES = {
    MEAN: ra.Mean(),
    BORDA: ra.Borda(),
    TWO_LEVELS: ra.TwoLevel(ra.Borda(), ra.Borda()),
}
READ = "last digits of scores lost in reading"
READ_AND_WRITE = (
    "import pandas as pd, sys; pd.read_csv(sys.argv[1]).to_csv(sys.argv[2], index=False)"
)
# Sorts every column twice, as their code does, with their versions of the packages.
SORT_TWICE = """
import json, sys
import numpy as np, pandas as pd
kind = {"array": np.array, "series": pd.Series}[sys.argv[1]]
columns = [kind(column, dtype=float) for column in json.load(sys.stdin)]
print(json.dumps([np.asarray(column.argsort().argsort()).tolist() for column in columns]))
"""


@dataclass(frozen=True)
class Case:
    """A file that both read, and what it says.

    Attributes
    ----------
    path : Path
        Its header is Model and tasks, or System, Utterance and tasks.
    has_instances : bool
        Which of these.
    higher_is_better : bool
        The direction of all scores.
    """

    path: Path
    has_instances: bool
    higher_is_better: bool = True

    def options(self) -> list[str]:
        """Return the options that make our command read it."""
        columns = ["--system", "Model"]
        if self.has_instances:
            columns = ["--system", "System", "--instance", "Utterance"]
        return columns if self.higher_is_better else [*columns, "--lower-is-better"]

    def table(self) -> ra.ScoreTable:
        """Read it."""
        names = {"system": "System", "instance": "Utterance"}
        return ra.read_scores(
            self.path,
            higher_is_better=self.higher_is_better,
            **(names if self.has_instances else {"system": "Model"}),
        )

    @property
    def methods(self) -> tuple[str, ...]:
        """Which methods both have for it."""
        return (MEAN, BORDA, TWO_LEVELS) if self.has_instances else (MEAN, BORDA)


def ours(case: Case) -> dict[str, Floats]:
    """Run our command and return the scores by each method, systems in the order of the file."""
    methods = [part for method in case.methods for part in ("--method", OPTIONS[method])]
    command = [sys.executable, "-m", "rankagg", "compare", str(case.path), *case.options()]
    result = subprocess.run([*command, *methods, "--json"], check=True, capture_output=True)
    consensuses = json.loads(result.stdout)["consensuses"]
    return {
        method: np.array(consensus["scores"])
        for method, consensus in zip(case.methods, consensuses, strict=True)
    }


# -- their programs --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Explanation:
    """Something that their code does, and what it makes of a table.

    Attributes
    ----------
    text : str
        What it does.
    points : callable
        From a folder, a case and a method to the points of every system.
    """

    text: str
    points: Callable[[Path, Case, str], Floats]


@dataclass(frozen=True)
class Printed:
    """What a program prints for a method.

    Attributes
    ----------
    numbers : ndarray of float, shape (n,)
        The means, or sums of points or places, systems in the order of the file.
    is_named_right : bool
        Whether the names that it prints as the ranking are in the order of these numbers.
    """

    numbers: Floats
    is_named_right: bool


@dataclass(frozen=True)
class Program:
    """A command line of a paper.

    Attributes
    ----------
    name : str
        Of its folder.
    counts_places : bool
        Whether it prints sums of places from 0, the best; else points, n - 1 for the best.
    options : mapping from bool to sequence of str
        What states the direction of scores, by whether higher is better.
    explanations : tuple of Explanation
        What differs from the definitions; the first that leads to what it prints counts.
    """

    name: str
    counts_places: bool
    options: Mapping[bool, Sequence[str]]
    explanations: tuple[Explanation, ...]

    def run(self, folder: Path, case: Case) -> dict[str, Printed]:
        """Run it and return what it prints for each method."""
        level = "instance_level" if case.has_instances else "task_level"
        result = subprocess.run(
            [
                str(python_of(folder)), "-W", "ignore", "ranking_cli.py",
                f"--df_to_rank={case.path}", f"--mode={level}",
                *self.options[case.higher_is_better],
            ],
            cwd=folder / self.name, check=True, capture_output=True, text=True,
        )  # fmt: skip
        systems = [str(label) for label in case.table().systems]
        numbers = {
            PRINTED[method]: np.array(text.split(), dtype=float)
            for method, text in NUMBERS.findall(result.stderr)
        }
        if case.has_instances:
            # Means are of systems in the order of their names, or numbers.
            key = int if all(name.isdigit() for name in systems) else str
            by_name = sorted(range(len(systems)), key=lambda at: key(systems[at]))
            numbers[MEAN] = numbers[MEAN][np.argsort(by_name)]
        found = {}
        for method, text in NAMES.findall(result.stderr):
            name = PRINTED[method.lower()]
            merit = dict(zip(systems, self._sign(name, case) * numbers[name], strict=True))
            found[name] = Printed(numbers[name], is_best_first(ast.literal_eval(text), merit))
        return found

    def _sign(self, method: str, case: Case) -> int:
        low = not case.higher_is_better if method == MEAN else self.counts_places
        return -1 if low else 1

    def expected(self, method: str, points: Floats, case: Case) -> Floats:
        """Return what it would print for these points, or means where higher is better."""
        if method == MEAN:
            return points if case.higher_is_better else -points
        # All points of a ranking together are n (n - 1)/2, and so are all places.
        return 2 * points.mean() - points if self.counts_places else points

    def explain(
        self, folder: Path, case: Case, method: str, points: Floats, printed: Floats
    ) -> str | None:
        """Say what leads from the definition to what is printed; None where nothing known does."""
        if same(self.expected(method, points, case), printed):
            return "equal"
        for read, how in ((case, ()), (as_read(folder, case), (READ,))):
            for explanation in (Explanation("", as_defined), *self.explanations):
                found = explanation.points(folder, read, method)
                if same(self.expected(method, found, case), printed):
                    return ", ".join(filter(None, (explanation.text, *how)))
        return None


def is_best_first(order: Sequence[object], merit: Mapping[str, float]) -> bool:
    """Whether an order of names, or of lists of tied ones, has all of them by their merit."""
    places_of_names = [place if isinstance(place, list) else [place] for place in order]
    names = [str(name) for place in places_of_names for name in place]
    if len(set(names)) < len(merit):
        return False
    values = np.array([merit[name] for name in names])
    return bool((np.diff(values) <= 1e-7 * np.abs(values[1:])).all())


def same(expected: Floats, printed: Floats) -> bool:
    """Whether numbers are the same to the eight digits that are printed."""
    return bool(np.allclose(expected, printed, rtol=2e-8, atol=1e-8))


def python_of(folder: Path) -> Path:
    """Return the interpreter that has what they need."""
    return folder / "python" / "bin" / "python"


# -- what they do ----------------------------------------------------------------------------------


def as_read(folder: Path, case: Case) -> Case:
    """Return the file with the scores that their pandas reads: not always the nearest floats."""
    target = case.path.with_name(f"as_read_{case.path.name}")
    command = [str(python_of(folder)), "-c", READ_AND_WRITE, str(case.path), str(target)]
    subprocess.run(command, check=True)
    return replace(case, path=target)


def as_defined(folder: Path, case: Case, method: str) -> Floats:
    """Return the points by the definition, the means for the mean."""
    scores: Any = RULES[method].aggregate(case.table()).scores
    return np.asarray(scores)


def by_sort(folder: Path, case: Case, method: str) -> Floats:
    """Return the points where a sort breaks ties; none where scores are missing."""
    table = case.table()
    if table.n_missing:
        return np.full(table.n_systems, np.nan)
    return points_by_sort(folder, table, method, "array")


def by_sort_missing_first(folder: Path, case: Case, method: str) -> Floats:
    """Return the points where a sort breaks ties, and what is missing is the best."""
    table = case.table()
    values = np.where(table.missing, np.nanmax(table.values) + 1, table.values)
    return points_by_sort(folder, table._with(values=values), method, "array")


def by_marks(folder: Path, case: Case, method: str) -> Floats:
    """Return the points where pandas marks missing scores by -1 and sorts the marks as places."""
    return points_by_sort(folder, case.table(), method, "series")


def points_by_sort(folder: Path, table: ra.ScoreTable, method: str, kind: str) -> Floats:
    """Return the points where every column is sorted twice, as an array or a series of pandas."""
    columns = (table.values * table.signs).T

    def sorted_twice(rows: Iterable[Floats]) -> Floats:
        text = json.dumps([row.tolist() for row in rows])
        result = subprocess.run(
            [str(python_of(folder)), "-c", SORT_TWICE, kind],
            input=text, check=True, capture_output=True, text=True,
        )  # fmt: skip
        return np.array(json.loads(result.stdout), dtype=float)

    profile = ra.Profile.from_scores(sorted_twice(columns), higher_is_better=True)
    if method == BORDA:
        return borda(profile)
    inner = [borda(profile[table.unit_tasks == task]) for task in range(table.n_tasks)]
    return borda(ra.Profile.from_scores(sorted_twice(inner), higher_is_better=True))


def borda(profile: ra.Profile) -> Floats:
    scores: Any = ra.Borda().aggregate(profile).scores
    return np.asarray(scores)


def by_counts(folder: Path, case: Case, method: str) -> Floats:
    """Return the points where a ranking of k of n systems weighs n!/k!."""
    profile = case.table().rankings()
    return borda(ra.Profile(list(profile), weights=numbers_of_permutations(profile.ranks)))


def numbers_of_permutations(ranks: Ranks) -> list[float]:
    n = ranks.shape[1]
    observed = (ranks != ra.UNRANKED).sum(axis=1).tolist()
    return [float(factorial(n) // factorial(k)) for k in observed]


def by_later_rows(folder: Path, case: Case, method: str) -> Floats:
    """Return the points where the later row wins a tie, and mean places are cut to whole ones."""
    table = case.table()
    ranks = table.rankings().ranks
    points = np.array([points_by_later_rows(row) for row in ranks])
    if method == BORDA:
        return points.sum(axis=0)
    inner = [points[table.unit_tasks == task].sum(axis=0) for task in range(table.n_tasks)]
    return borda(ra.Profile.from_scores(inner, higher_is_better=True))


def by_counts_and_later_rows(folder: Path, case: Case, method: str) -> Floats:
    """Return the points where both are so."""
    ranks = case.table().rankings().ranks
    points = np.array([points_by_later_rows(row) for row in ranks])
    return np.array(numbers_of_permutations(ranks)) @ points


def points_by_later_rows(ranks: Ranks) -> Floats:
    """Return the row sums of a matrix of pairs, ties and mean places changed in it."""
    before = ra.PartialRanking(ranks).pairwise_probabilities().copy()
    observed = ranks != ra.UNRANKED
    n, k = len(ranks), int(observed.sum())
    mids = places.mid_ranks(ranks[None, :])[0]
    # The chance that a system without a score is before one at that place.
    above = (np.floor(np.nan_to_num(mids)) + 1) / (k + 1)
    mixed = ~observed[:, None] & observed[None, :]
    before[mixed] = np.broadcast_to(above, (n, n))[mixed]
    before.T[mixed] = 1 - before[mixed]
    earlier, later = np.nonzero(np.triu(ranks[:, None] == ranks[None, :], 1))
    tied = observed[earlier]
    earlier, later = earlier[tied], later[tied]
    before[later, earlier] = 1.0 if k == n else 1 - above[later]
    before[earlier, later] = 1 - before[later, earlier]
    return np.asarray(before.sum(axis=1))


RANKING_NLP_SYSTEMS = Program(
    name="RankingNLPSystems",
    counts_places=False,
    # It knows no other direction.
    options={True: ()},
    explanations=(
        Explanation("a sort breaks ties", by_sort),
        Explanation("a sort breaks ties, a missing score is the best", by_sort_missing_first),
        Explanation("a sort breaks ties, missing scores are marked -1 and sorted so", by_marks),
    ),
)
MISSING_DATA_RANKING = Program(
    name="MissingDataRanking",
    counts_places=True,
    options={True: ("--best_score=highest",), False: ("--best_score=lowest",)},
    explanations=(
        Explanation("n!/k! in place of proportions", by_counts),
        Explanation("the later row wins ties", by_later_rows),
        Explanation(
            "n!/k! in place of proportions, the later row wins ties", by_counts_and_later_rows
        ),
    ),
)
