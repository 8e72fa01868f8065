"""No message is longer than a screen, for any number of items and any length of names."""

import numpy as np
import pytest

import rankagg as ra
from rankagg.exceptions import MOST_LETTERS, DataWarning, RankaggError

LONG = [f"{'a very long name of an item ' * 7}{k}" for k in range(300)]
MANY = [f"i{k}" for k in range(1500)]


def tied(items):
    return ra.PartialRanking.from_buckets([items])


def unlike(items):
    return ra.kendall_distance(tied(items), tied(items[1:]))


def in_a_circle(items):
    items = items[:30]
    above = list(zip(items, items[1:] + items[:1], strict=True))
    data = ra.Profile.from_orders([items])
    return ra.Kemeny(constraints=ra.Constraints(above=above)).aggregate(data)


def of_no_rule(items):
    rules = [ra.TopK(k) for k in range(1, 4)]
    return ra.compare(ra.Profile.from_orders([items[:4]]), rules)[items[0]]


REFUSALS = {
    "order": lambda items: tied(items).order,
    "other items": unlike,
    "circle": in_a_circle,
    "unknown item": lambda items: tied(items).rank("none of these"),
    "unknown name": lambda items: ra.ItemSet(items).index(items[0] * 99),
    "twice": lambda items: ra.ItemSet([*items, items[-1]]),
    "mixed": lambda items: ra.ItemSet([*items, 1]),
    "rule": of_no_rule,
    "items": lambda items: ra.Profile.from_orders([items], items=items[1:]),
    "drop": lambda items: ra.ScoreTable(
        np.ones((len(items), 2)), systems=items, higher_is_better=True
    ).drop(systems=[items[0] + "x"]),
    "choice": lambda items: ra.datasets.info(items[0] * 20),
    "models": lambda items: ra.studies.CycleStudy(
        data=[ra.studies.ObservedData(label=x, data=tied(items)) for x in items[:60]], rng=0
    ),
}


@pytest.mark.parametrize("items", [LONG, MANY], ids=["long", "many"])
@pytest.mark.parametrize("name", REFUSALS)
def test_a_refusal_fits_on_a_screen(name, items):
    with pytest.raises(RankaggError) as caught:
        REFUSALS[name](items)
    assert 20 < len(str(caught.value)) <= MOST_LETTERS


def test_long_values_are_cut_in_the_middle():
    for kind in (RankaggError, DataWarning):
        text = str(kind(f"start {'x' * 9999} end"))
        assert len(text) <= MOST_LETTERS
        assert text.startswith("start xxx")
        assert text.endswith("xxx end")
        assert str(kind("y" * MOST_LETTERS)) == "y" * MOST_LETTERS


def test_the_message_of_a_tied_ranking_ends_with_the_remedy():
    with pytest.raises(ra.exceptions.TiedRankingError, match=r"\(i0 = i1 .* 1494 more\). Use `.b"):
        _ = tied(MANY).order
