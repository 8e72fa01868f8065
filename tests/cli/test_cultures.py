"""Cultures on the command line: those of the library, and the message for any other name."""

import csv

import pytest

import rankagg as ra

NAMED = {
    "impartial": ra.cultures.ImpartialCulture(),
    "anonymous": ra.cultures.AnonymousCulture(),
    "urn=0.5": ra.cultures.UrnCulture(contagion=0.5),
    "euclidean=3": ra.cultures.EuclideanCulture(n_dimensions=3),
    "gaussian=1": ra.cultures.EuclideanCulture(n_dimensions=1, points="gaussian"),
    "walsh": ra.cultures.SinglePeakedCulture(),
    "conitzer": ra.cultures.SinglePeakedCulture(variant="conitzer"),
    "mallows=0.5": ra.cultures.MallowsCulture(phi=0.5),
    "plackett-luce=1": ra.cultures.PlackettLuceCulture(spread=1),
    "norm-mallows=0.3": ra.cultures.MallowsCulture(norm_phi=0.3),
}


@pytest.mark.parametrize("name", NAMED)
def test_profiles_are_those_of_the_library(output, name):
    text = output("sample --culture", name, "--items", "A,B,C,D", "--size", "30", "--seed", "5")
    header, *rows = csv.reader(text.splitlines())
    expected = NAMED[name].sample(4, 30, rng=5).compress()
    assert header == ["A", "B", "C", "D", "count"]
    found = {tuple(map(int, row[:-1])): int(row[-1]) for row in rows}
    ranks = map(tuple, (expected.ranks + 1).tolist())
    assert found == dict(zip(ranks, expected.counts.tolist(), strict=True))


def test_a_study_draws_from_cultures(output):
    asked = ["study", "approximation", "--items", "4", "--repetitions", "2", "--rule", "borda"]
    text = output(*asked, "--culture", "walsh", "--culture", "urn=0.1", "--culture", "mallows=0.5")
    for model in ("single-peaked", "urn, contagion = 0.1", "Mallows, phi = 0.5"):
        assert model in text


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("urn", "--culture must be urn=NUMBER"),
        ("urn=-1", "--culture urn must be a number in [0, inf)"),
        ("euclidean=1.5", "The dimension in --culture must be an integer"),
        ("norm-mallows=2", "--culture norm-mallows must be a number in [0, 1]"),
        ("walsh=1", "takes no number"),
        ("walch", "Did you mean 'walsh'?"),
        ("=", "norm-mallows=NUMBER"),
    ],
)
def test_unknown_cultures_are_refused(output, name, message):
    for asked in (["sample", "--items", "A,B"], ["study", "approximation", "--repetitions", "1"]):
        assert message in output(*asked, "--culture", name, code=2).replace("`", "")


def test_a_culture_without_items_is_refused(output):
    assert "Give either FIT or --items" in output("sample --culture walsh", code=2)
    message = output("sample --culture walsh --items A", code=2)
    assert "The number of --items" in message.replace("`", "")
