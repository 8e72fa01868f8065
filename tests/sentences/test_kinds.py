"""Numbers in the sentences of results are those of their definitions."""

import pytest

from tests.sentences import consensus, data, inference, significance

PARTS = consensus, data, inference, significance
SENTENCES = {kind: hold for part in PARTS for kind, hold in part.SENTENCES.items()}
#: The seeds of the random data sets that are tried of a kind, where not the first ten: as many as
#: bring all about.
SEEDS = {
    "compare": range(35, 60), "explain": range(30, 55), "removals": range(5),
    "stability": range(5), "dispersion": range(12), "power": range(13),
    "skillings-mack": range(18), "friedman": range(56),
}  # fmt: skip


def test_no_kind_of_sentence_has_the_name_of_another():
    assert len(SENTENCES) == sum(len(part.SENTENCES) for part in PARTS) == 14


@pytest.mark.parametrize("kind", SENTENCES)
def test_numbers_are_those_of_their_definitions(kind):
    SENTENCES[kind](SEEDS.get(kind, range(10)))


@pytest.mark.slow
@pytest.mark.parametrize("kind", SENTENCES)
def test_numbers_are_those_of_their_definitions_on_many_tables(kind):
    SENTENCES[kind](range(1000, 2500))
