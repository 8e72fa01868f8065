"""Numbers in the sentences of results are those of their definitions."""

import pytest

from tests.sentences import consensus, data, inference, significance

PARTS = consensus, data, inference, significance
SENTENCES = {kind: hold for part in PARTS for kind, hold in part.SENTENCES.items()}
#: How many random data sets are tried of a kind, where not 20: as many as bring all about.
SIZES = {"compare": 60, "explain": 60, "removals": 10, "stability": 10, "friedman": 100}


def test_no_kind_hides_another():
    assert len(SENTENCES) == sum(len(part.SENTENCES) for part in PARTS) == 14


@pytest.mark.parametrize("kind", SENTENCES)
def test_numbers_are_those_of_their_definitions(kind):
    SENTENCES[kind](range(SIZES.get(kind, 20)))


@pytest.mark.slow
@pytest.mark.parametrize("kind", SENTENCES)
def test_numbers_are_those_of_their_definitions_on_many_tables(kind):
    SENTENCES[kind](range(1000, 2500))
