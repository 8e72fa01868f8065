"""Numbers in the sentences of results are those of their definitions."""

import pytest

from tests.sentences import consensus, data, inference, significance

PARTS = consensus, data, inference, significance
SENTENCES = {kind: hold for part in PARTS for kind, hold in part.SENTENCES.items()}
#: How many random data sets are tried of a kind, where not 60.
SIZES = {"removals": 25, "stability": 25, "friedman": 100, "skillings-mack": 100}


def test_no_kind_hides_another():
    assert len(SENTENCES) == sum(len(part.SENTENCES) for part in PARTS) == 14


@pytest.mark.parametrize("kind", SENTENCES)
def test_numbers_are_those_of_their_definitions(kind):
    SENTENCES[kind](range(SIZES.get(kind, 60)))


@pytest.mark.slow
@pytest.mark.parametrize("kind", SENTENCES)
def test_numbers_are_those_of_their_definitions_on_many_tables(kind):
    SENTENCES[kind](range(1000, 2500))
