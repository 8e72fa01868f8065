"""Sources of studies: sizes, distributions, and no favored item."""

import numpy as np
import pytest

import rankagg as ra
from rankagg.exceptions import InvalidInputError
from rankagg.studies.votes import _without_entries

MODELS = [
    ra.cultures.MallowsCulture(phi=0.7),
    ra.cultures.PlackettLuceCulture(spread=1.0),
    ra.studies.LatentModel(step=0.2, n_instances=None),
    ra.studies.ResampledData(label="x", data=ra.distributions.Uniform(range(8)).sample(20, rng=0)),
]


def rankings(data):
    return data.rankings() if isinstance(data, ra.ScoreTable) else data


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_models_give_the_sizes_asked_for_and_repeat_with_a_seed(model):
    drawn = rankings(model.sample(6, 9, rng=1))
    assert (drawn.n_items, drawn.n_rankings) == (6, 9)
    assert drawn == rankings(model.sample(6, 9, rng=1))
    assert drawn != rankings(model.sample(6, 9, rng=2))


@pytest.mark.parametrize("model", MODELS, ids=repr)
@pytest.mark.parametrize(("share", "lost"), [(0.0, 0), (0.05, 0), (0.25, 2), (0.5, 4)])
def test_every_ranking_loses_the_same_number(model, share, lost):
    whole = model.sample(8, 12, rng=3)
    part = _without_entries(whole, share, np.random.default_rng(0))
    gone = rankings(part).ranks == ra.UNRANKED
    assert (gone.sum(axis=1) == lost).all()
    if lost:
        assert gone.any(axis=0).all()  # 12 rankings, and every item is hit by some
    kept = np.where(gone, -1, rankings(whole).ranks)
    for row, places in zip(kept, rankings(part).ranks, strict=True):
        left = row >= 0
        np.testing.assert_array_equal(np.argsort(row[left]), np.argsort(places[left]))


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: ra.cultures.MallowsCulture(phi=0), "phi of MallowsCulture"),
        (lambda: ra.cultures.PlackettLuceCulture(spread=-1), "spread of PlackettLuceCulture"),
        (lambda: ra.studies.LatentModel(step=-1, n_instances=None), "step of LatentModel"),
        (lambda: ra.studies.ResampledData(label=1, data=MODELS[3].data), "label of Resampled"),
        (lambda: MODELS[3].sample(9, 1), "at most 8"),
        (lambda: MODELS[0].sample(1, 1), "n_items"),
    ],
)
def test_bad_input_is_named(build, message):
    with pytest.raises(InvalidInputError, match=message):
        build()


def metrics(n_instances=8, n_metrics=5, copies=True):
    """Return a table whose metrics say the same of an instance, or do not."""
    rng = np.random.default_rng(6)
    scores = rng.normal(size=(4, n_instances, 1 if copies else n_metrics)).cumsum(axis=0) / 2
    values = np.broadcast_to(scores, (4, n_instances, n_metrics))
    return ra.ScoreTable(
        values.transpose(0, 2, 1).reshape(4, -1), systems="ABCD",
        tasks=np.repeat(range(n_metrics), n_instances).tolist(),
        instances=list(range(n_instances)) * n_metrics, higher_is_better=True,
    )  # fmt: skip


def test_instances_are_drawn_complete_and_uniformly():
    table = metrics(copies=False)
    model = ra.studies.ResampledData(label="m", data=table, n_rankings=300)
    drawn = model.sample(rng=1)
    assert drawn.n_tasks == 5
    assert len(set(drawn.instances)) == 300
    columns = {
        instance: table.values[:, [i == instance for i in table.instances]]
        for instance in set(table.instances)
    }
    seen = []
    for number in range(300):
        part = drawn.values[:, [i == number for i in drawn.instances]]
        seen += [k for k, values in columns.items() if np.array_equal(values, part)]
    assert len(seen) == 300
    counts = np.bincount(seen, minlength=8)
    assert (counts > 15).all()
    assert (counts < 65).all()
    assert model.sample(rng=1) == drawn
    assert ra.studies.ResampledData(label="m", data=table).sample(rng=1).n_units == table.n_units


@pytest.mark.parametrize("unit", ["ranking", "instance"])
def test_true_proportions_are_those_of_the_table(unit):
    table = ra.ScoreTable(
        [[1, 5, 3, 2, 2, 4], [2, 5, 3, 1, 2, 1], [0, 6, 1, 1, 1, 1]], systems="ABC",
        tasks=["x", "y"] * 3, instances=[0, 0, 1, 1, 2, 2], higher_is_better=True,
    )  # fmt: skip
    model = ra.studies.ResampledData(label="small", data=table)
    half = model.true_proportions(unit=unit)
    for a, b in (("A", "B"), ("B", "C"), ("A", "C")):
        i, j = "ABC".index(a), "ABC".index(b)
        gap = np.sign(table.values[i] - table.values[j])
        assert half.loc[a, b] == pytest.approx(((gap + 1) / 2).mean())
        assert half.loc[b, a] == pytest.approx(1 - half.loc[a, b])
        if unit == "ranking":
            untied = gap[gap != 0]
            assert model.true_proportions(ties="exclude").loc[a, b] == (untied > 0).mean()


@pytest.mark.parametrize("policy", ["uniform", "ignore", "last"])
def test_resamples_have_the_policy_of_the_data(policy) -> None:
    data = ra.Profile.from_orders(["AB", "BCA", "C"], items="ABC").with_unranked(policy)
    source = ra.studies.ResampledData(label="votes", data=data)
    assert source.sample(n_rankings=5, rng=0).unranked == policy
    assert source.sample(n_items=2, n_rankings=5, rng=0).unranked == policy
