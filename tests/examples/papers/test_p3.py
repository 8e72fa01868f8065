"""The replication of Shavrina and Malykh: on bundled data every value is as defined."""

import re

import pytest

from replication.p3 import MEANS
from replication.published import AS_RUN
from replication.run import replicate
from tests.known_answers import Ledger, leaves


@pytest.fixture(scope="module")
def replication():
    return replicate("p3", quick=True, progress=False)


@pytest.fixture(scope="module")
def rows(replication):
    return {(row.item, row.quantity): row for row in replication.rows}


def test_long_orders_do_not_widen_the_columns_of_numbers(replication):
    for run in replication.outcomes:
        run.pictures.clear()  # they take longest, and have no columns
    page = replication.to_html()
    assert " &gt; " in page
    cells = re.findall(r'<td class="number"[^>]*>(.*?)</td>', page)
    assert len(cells) > 1000
    assert not [cell for cell in cells if "&gt;" in cell]


NAMES = {"McAlbert": "MacAlbert + DKM", "PAI": "PAI Albert", "Nezha": "NEZHA Plus"}


TABLES = {"SuperGLUE": "Table 2", "GLUE": "Table 1", "XTREME": "Table 3", "XGLUE": "Table 4"}


def system_of(name):
    """Return what a system of the facts is called here."""
    name = name.split(" AX")[0].replace("+", " + ") if "+" in name else name.split(" AX")[0]
    return next((long for short, long in NAMES.items() if name == short), name)


def keys_of_facts(facts):
    """Yield path, key of the row, value and tolerance of every number of the paper's facts."""
    cases = {name: case for name, case in facts("paper_values").items() if name[:3] == "004"}
    for path in (path for name, case in cases.items() for path in leaves(case["value"], name)):
        name, *parts = path.split("/")
        case = cases[name]
        numbers = case["value"]
        for part in parts:
            numbers = numbers[part]
        if name == "004_GM_HM":
            item = TABLES[parts[0].split("(")[0]]
            system = "Unicoder Baseline" if parts[1] == "Unicoder" else system_of(parts[1])
            words = [f"{mean} mean, {system}" for mean in ("geometric", "harmonic")]
        elif name == "004_table5":
            item, system = "Table 5", system_of(parts[0])
            words = [f"{what}, {system}" for what in ("sum", "variance", "standard deviation")]
        else:
            item, (benchmark, system) = "Table 6", parts[0].split(maxsplit=1)
            where = f"{benchmark.replace('SG', 'SuperGLUE')}, {system_of(system)}"
            words = [f"{mean} mean of ratios, {where}" for mean in reversed(list(MEANS))]
        for word, number in zip(words, numbers, strict=True):
            yield path, (item, word), number, case["tolerance"]


def test_the_published_facts_are_reached(facts, rows):
    ledger, seen = Ledger({}), set()
    for path, key, number, tolerance in keys_of_facts(facts):
        # The typed definition is a computation of its own, so it may have more digits.
        row = rows[key]
        if "GLUE, " in key[1] and "Super" not in key[1] and "of ratios" in key[1]:
            # These facts are of the print, which borrows a score of humans.
            assert float(row.authors) == pytest.approx(number, abs=tolerance), key
            assert row.verdict == AS_RUN
        else:
            assert float(row.definition) == pytest.approx(number, abs=tolerance), key
            assert float(row.here) == pytest.approx(number, abs=tolerance), key
        assert key not in seen
        seen.add(key)
        ledger.covers(path)
    cases = {name: case for name, case in facts("paper_values").items() if name[:3] == "004"}
    ledger.check([path for name, case in cases.items() for path in leaves(case["value"], name)])
    assert len(seen) == 2 * 19 + 3 * 3 + 6 * 3
