"""Shares of resamples against resamples that are written out and aggregated one by one."""

import json
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankagg as ra
from rankagg.aggregation import Outcome
from rankagg.aggregation.kemeny import strict_search
from rankagg.analysis.robustness import redraws as resamples
from rankagg.analysis.robustness.redraws import _Redraw, _RedrawSums
from rankagg.exceptions import InformationLostError, InvalidInputError
from rankagg.inference.units import Units, rankings_of
from tests import oracles, strategies
from tests.rules import falling

NAN = float("nan")
BORDA, COPELAND, KEMENY = ra.Borda(), ra.Copeland(), ra.Kemeny()
TWO_LEVELS = ra.TwoLevel(BORDA, BORDA)
CLOSE = ra.Profile.from_orders(["ABC", "ACB", "BAC"], counts=[4, 3, 3])
CYCLE = ra.Profile.from_orders(["ABC", "BCA", "CAB"])
TABLE = ra.ScoreTable(
    [[3, 1, 2, 5], [2, 4, 2, 1], [1, 3, 2.5, 3]],
    systems="ABC",
    tasks=["w", "x", "y", "z"],
    higher_is_better={"w": True, "x": False, "y": True, "z": True},
    task_weights={"x": 2, "z": 0.5},
)
INSTANCES = ra.ScoreTable(
    [[3, 1, 2, 5, 4, 0], [2, 4, 2, 1, 5, 1], [1, 3, 3, 3, NAN, 2]],
    systems="ABC",
    tasks=["x", "x", "x", "y", "y", "z"],
    instances=[0, 1, 2, 0, 1, 0],
    higher_is_better=True,
    task_weights={"y": 3},
)


# -- the slow twin --------------------------------------------------------------------------------


def drawn(data, times, seed, *, unit="ranking", fixed_tasks=False, instances=None):
    """Return how often each ranking occurs in each resample, as the package draws them."""
    profile, known = rankings_of(data, 0.0, instances)
    units = Units.of(profile, unit=unit, fixed_tasks=fixed_tasks, instances=known)
    return units.resampled_rows(times, np.random.default_rng(seed))


def written_out(profile, counts, *, rename=False):
    """Return a profile with a row for each single ranking of a resample.

    With `rename` each time that a task is drawn is a task of its own.
    """
    rankings, weights, groups = [], [], []
    for row, times in enumerate(counts):
        for k in range(int(times)):
            rankings.append(profile[row])
            weights.append(profile.weights[row])
            if profile.groups is not None:
                copy = k // int(profile.counts[row])
                name = profile.groups[row]
                groups.append(f"{name}, time {copy}" if rename else name)
    found = ra.Profile(rankings, weights=weights, groups=groups or None)
    return found.with_unranked(profile.unranked)


def repeated(table, counts, *, rename=False):
    """Return a table with a column for each time that one was drawn."""
    columns = np.repeat(np.arange(table.n_units), counts)
    copies = [k for times in counts for k in range(int(times))]
    old = [table.tasks[int(table.unit_tasks[u])] for u in columns]
    tasks = [f"{t} {k}" for t, k in zip(old, copies, strict=True)] if rename else old
    origin = dict(zip(tasks, old, strict=True))
    return ra.ScoreTable(
        table.values[:, columns],
        systems=table.systems,
        tasks=tasks,
        instances=None if table.instances is None else range(len(columns)),
        higher_is_better={task: table.higher_is_better[origin[task]] for task in origin},
        task_weights={task: table.task_weights[origin[task]] for task in origin},
    )


def span_of(ranking):
    """Return first and last rank of each item, 0 for one without, and who is among the first."""
    places = oracles.as_places(ranking)
    n = len(places)
    best, worst = [0] * n, [0] * n
    for i in range(n):
        if places[i] is None:
            continue
        judged = [oracles.judgment(places, i, j) for j in range(n) if places[j] is not None]
        best[i] = 1 + judged.count(oracles.BELOW)
        worst[i] = len(judged) - judged.count(oracles.ABOVE)
    return best, worst, [place == 1 for place in best]


def span_of_optima(profile, policy):
    """Return what all optimal orders agree on, and who is first in some."""
    wins, _, _ = oracles.pairwise_votes(profile, policy)
    _, orders = oracles.kemeny(wins)
    n = len(wins)
    always = [[all(o.index(i) < o.index(j) for o in orders) for j in range(n)] for i in range(n)]
    best = [1 + sum(always[j][i] for j in range(n)) for i in range(n)]
    worst = [n - sum(always[i][j] for j in range(n)) for i in range(n)]
    return best, worst, [any(o[0] == i for o in orders) for i in range(n)]


def check(shares, spans):
    best, worst, can_win = (np.array(part) for part in zip(*spans, strict=True))
    assert shares.best.tolist() == best.tolist()
    assert shares.worst.tolist() == worst.tolist()
    assert (shares.best == 1).tolist() == can_win.tolist()
    assert shares.n_resamples == len(spans)
    assert shares.first_in_every.tolist() == pytest.approx((worst == 1).mean(axis=0))
    assert shares.first_in_some.tolist() == pytest.approx(can_win.mean(axis=0))


# -- rankings -------------------------------------------------------------------------------------

few = settings(max_examples=12)
some_profiles = strategies.profiles(min_size=2, max_size=4, max_rows=3, groups=True)
rules = st.sampled_from([ra.Borda, ra.Copeland])


WAYS = ({"unit": "ranking"}, {"unit": "task"}, {"fixed_tasks": True})


@few
@given(some_profiles, rules, strategies.policies, st.sampled_from(WAYS))
def test_each_resample_is_ranked_by_the_rule(profile, rule, policy, way):
    profile, chosen = profile.with_unranked(policy), rule()
    shares = ra.rank_shares(profile, chosen, n_resamples=5, rng=1, **way)
    counts = drawn(profile, 5, 1, **way)
    check(shares, [span_of(chosen.aggregate(written_out(profile, row)).ranking) for row in counts])
    fixed = "fixed_tasks" in way
    for group in set(profile.groups) if fixed else ():
        inside = [own == group for own in profile.groups]
        assert (counts[:, inside].sum(axis=1) == profile.counts[inside].sum()).all()
    assert (shares.unit, shares.fixed_tasks) == (way.get("unit", "ranking"), fixed)
    assert shares.rule == chosen


@few
@given(strategies.profiles(min_size=2, max_size=4, max_rows=4, groups=True), st.sampled_from(WAYS))
def test_a_task_that_is_drawn_twice_is_two_tasks(profile, way):
    shares = ra.rank_shares(profile, TWO_LEVELS, n_resamples=5, rng=5, **way)
    rename = way.get("unit") == "task"
    rebuilt = [written_out(profile, row, rename=rename) for row in drawn(profile, 5, 5, **way)]
    check(shares, [span_of(TWO_LEVELS.aggregate(one).ranking) for one in rebuilt])


@few
@given(some_profiles, strategies.policies, st.sampled_from(["ranking", "task"]))
def test_optima_of_each_resample_are_those_of_all_orders(profile, policy, unit):
    profile = profile.with_unranked(policy)
    shares = ra.rank_shares(profile, ra.Kemeny(), n_resamples=4, unit=unit, rng=2)
    counts = drawn(profile, 4, 2, unit=unit)
    check(shares, [span_of_optima(written_out(profile, row), policy) for row in counts])


@few
@given(strategies.profiles(min_size=2, max_size=4, max_rows=4), rules, st.data())
def test_rankings_of_an_instance_are_drawn_together(profile, rule, data):
    m = len(profile)
    labels = data.draw(st.lists(st.integers(0, 2), min_size=m, max_size=m))
    options = {"unit": "instance", "instances": labels}
    shares = ra.rank_shares(profile, rule(), n_resamples=5, rng=4, **options)
    counts = drawn(profile, 5, 4, **options)
    for row in counts:
        for label in set(labels):
            times = {
                int(c) / int(own)
                for c, own, mine in zip(row, profile.counts, labels, strict=True)
                if mine == label
            }
            assert len(times) == 1
    check(shares, [span_of(rule().aggregate(written_out(profile, row)).ranking) for row in counts])


def test_the_number_of_processes_changes_nothing():
    """The slow tests try other ways to share the work."""
    alone = ra.rank_shares(CLOSE, KEMENY, n_resamples=9, rng=1)
    assert ra.rank_shares(CLOSE, KEMENY, n_resamples=9, rng=1, n_jobs=2) == alone


# -- sums, all resamples at once ------------------------------------------------------------------

SUMS = st.sampled_from([BORDA, ra.Plurality(), ra.Positional(falling)])


def one_by_one(data, rule, **options):
    with pytest.MonkeyPatch.context() as patch:
        for kind in (_Redraw, _RedrawSums):
            patch.setattr(kind, "ranks", lambda self, rows: None)
        return ra.rank_shares(data, rule, **options)


def check_at_once(data, rule, **options):
    """Hold both ways against each other; many tied sums, or few, and blocks of two resamples."""
    options = {"n_resamples": 9, "rng": 6, **options}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(resamples, "RANKS_AT_ONCE", 9)
        shares = ra.rank_shares(data, rule, **options)
        patch.setattr(resamples, "EXACT_POINTS", 0)  # what floats decide, and what they leave
        assert ra.rank_shares(data, rule, **options) == shares
    assert one_by_one(data, rule, **options) == shares


@few
@given(
    strategies.profiles(min_size=4, max_size=4, max_rows=4, groups=True),
    SUMS,
    strategies.policies,
    st.sampled_from(WAYS),
)
def test_sums_at_once_are_those_of_each_resample(profile, rule, policy, way):
    check_at_once(profile.with_unranked(policy), rule, **way)


@dataclass(frozen=True)
class LeastPoints(ra.Borda):
    """The order of Borda turned round."""

    def _aggregate(self, evidence, rng):
        return Outcome(scores=-super()._aggregate(evidence, rng).scores)


@dataclass(frozen=True)
class LeastMean(ra.Mean):
    def _aggregate(self, evidence, rng):
        scores = super()._aggregate(evidence, rng).scores
        return Outcome(scores=-scores)


@pytest.mark.parametrize(
    ("data", "rule"), [(CLOSE, LeastPoints()), (TABLE, LeastMean())], ids=["borda", "mean"]
)
def test_an_overridden_method_of_a_subclass_is_used(data, rule):
    check_at_once(data, rule)


@pytest.mark.parametrize("unit", ["ranking", "task"])
@pytest.mark.parametrize("gaps", [0.0, 0.3])
def test_means_at_once_are_those_of_each_resample(unit, gaps):
    rng = np.random.default_rng(3)
    scores = rng.normal(size=(5, 4))
    scores[2] = scores[0]  # level in every resample
    scores[3, 1:] = scores[4, 1:]  # and in some
    scores[rng.random(scores.shape) < gaps] = NAN
    weights = {"1": 0.1, "2": 3.0}
    table = ra.ScoreTable(scores, tasks=list("0123"), higher_is_better=True, task_weights=weights)
    for data in (table, ra.ScoreTable(scores.round(), tasks="0123", higher_is_better=False)):
        check_at_once(data, ra.Mean(), unit=unit)
        if unit == "task":
            check_at_once(data, BORDA, unit=unit)


# -- scores ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("drawing", ["ranking", "instance", "task", "fixed"])
@pytest.mark.parametrize("rule", [ra.Mean(), ra.TwoLevel(ra.Median(), BORDA)], ids=str)
def test_means_draw_instances_within_their_tasks(rule, drawing):
    options = {"fixed_tasks": True} if drawing == "fixed" else {"unit": drawing}
    shares = ra.rank_shares(INSTANCES, rule, n_resamples=12, rng=0, **options)
    counts = drawn(INSTANCES, 12, 0, **options)
    rebuilt = [repeated(INSTANCES, row, rename=drawing == "task") for row in counts]
    if drawing == "task":
        # Copies of a task are tasks of their own, each with all of its instances.
        assert {len(set(table.unit_tasks.tolist())) for table in rebuilt} == {3}
    elif drawing == "fixed":
        assert (counts[:, :3].sum(axis=1) == 3).all()
        assert (counts[:, 5] == 1).all()
    check(shares, [span_of(rule.aggregate(table).ranking) for table in rebuilt])


def test_scores_are_ranked_first_for_the_exact_rule_which_is_the_default():
    for tolerance in (0, 1.5):
        from_scores = ra.rank_shares(TABLE, n_resamples=20, tolerance=tolerance, rng=0)
        rankings = TABLE.rankings(tolerance)
        assert from_scores == ra.rank_shares(rankings, KEMENY, n_resamples=20, rng=0)


def test_an_item_without_drawn_scores_has_no_rank():
    table = ra.ScoreTable([[1, NAN], [2, 2], [3, 3]], systems="ABC", higher_is_better=True)
    shares = ra.rank_shares(table, ra.Mean(), n_resamples=200, rng=0)
    gone = int((shares.best[:, 0] == 0).sum())
    assert 25 < gone < 75  # the second task twice, one in four
    assert shares.notes == (f"in {gone} of 200 resamples some item has no rank",)
    assert shares.ranks().sum(axis=1)["A"] == pytest.approx(1 - gone / 200)
    assert shares.to_frame().loc["A", "mean_rank"] == 3
    assert shares.within(3).loc["A"].tolist() == pytest.approx([1 - gone / 200] * 2)


def test_tolerances_may_name_tasks_that_are_not_drawn():
    rule = ra.TwoLevel(ra.Mean(), BORDA)
    options = {"n_resamples": 10, "unit": "task", "rng": 0}
    named = ra.rank_shares(INSTANCES, rule, tolerance={"x": 0.0}, **options)
    assert named == ra.rank_shares(INSTANCES, rule, **options)


# -- ranks ---------------------------------------------------------------------------------------


@few
@given(some_profiles, st.sampled_from([BORDA, COPELAND, KEMENY]))
def test_each_item_takes_one_place_and_each_place_one_item(profile, rule):
    shares = ra.rank_shares(profile, rule, n_resamples=5, rng=0)
    n = profile.n_items
    places = shares.ranks()
    assert places.columns.tolist() == list(range(1, n + 1))
    assert sorted(places.index) == list(profile.items)
    np.testing.assert_allclose(places.sum(axis=1), 1)
    slow = np.zeros((n, n))
    for best, worst in zip(shares.best, shares.worst, strict=True):
        for i in range(n):
            for place in range(best[i], worst[i] + 1):
                slow[i, place - 1] += 1 / (worst[i] - best[i] + 1) / 5
    np.testing.assert_allclose(places.loc[list(profile.items)], slow, atol=1e-12)
    if rule is not KEMENY:
        np.testing.assert_allclose(places.sum(axis=0), 1)
    for k in range(1, n + 1):
        frame = shares.within(k).loc[list(profile.items)]
        assert frame["in_every"].tolist() == pytest.approx((shares.worst <= k).mean(axis=0))
        assert frame["in_some"].tolist() == pytest.approx((shares.best <= k).mean(axis=0))
    surely = shares.within(1).loc[list(profile.items), "in_every"]
    assert surely.tolist() == shares.first_in_every.tolist()


def test_tied_optima_share_their_places():
    shares = ra.rank_shares(CYCLE, KEMENY, n_resamples=30, rng=0)
    # Each ranking once in two of nine resamples: then three optima.
    several = (shares.best != shares.worst).any(axis=1)
    assert shares.notes == (f"{several.sum()} of 30 resamples have more than one optimum",)
    assert (shares.first_in_some > shares.first_in_every).all()
    tied = ra.rank_shares(CYCLE, BORDA, n_resamples=30, rng=0)
    assert tied.notes == (
        f"{(tied.best != tied.worst).any(axis=1).sum()} of 30 resamples have ties",
    )


# Pairs, with the optima CEBAD, CBAED, CAEDB, ACEDB, ADCEB and AEDCB.
NEVER_FIRST = {
    "AD": 2, "AE": 1, "BA": 2, "BD": 1, "CB": 1, "CD": 1, "CE": 1,
    "DB": 2, "DC": 2, "DE": 1, "EB": 1, "ED": 2,
}  # fmt: skip


def test_leaders_of_some_optimum_equal_brute_force():
    # The same data again and again: E is in the second to fourth rank.
    profile = ra.Profile.from_orders(
        list(NEVER_FIRST),
        items="ABCDE",
        weights=list(NEVER_FIRST.values()),
        groups=list(NEVER_FIRST),
    )
    profile, rule = profile.with_unranked("ignore"), ra.Kemeny()
    orders = ["".join(order.order) for order in rule.aggregate(profile).optima]
    assert sorted(orders) == ["ACEDB", "ADCEB", "AEDCB", "CAEDB", "CBAED", "CEBAD"]
    shares = ra.rank_shares(profile, rule, n_resamples=3, fixed_tasks=True, rng=0)
    assert shares.first_in_some.tolist() == [1, 0, 1, 0, 0]
    assert shares.within(1).loc[list("ABCDE"), "in_some"].tolist() == [1, 0, 1, 0, 0]
    assert shares.ranks().loc["E", 1] == 0


# -- summary and plain data -----------------------------------------------------------------------


def test_resamples_without_a_proof_are_counted(monkeypatch):
    monkeypatch.setattr(strict_search, "TABLE_UP_TO", 0)  # which take no time
    hopeless = ra.Kemeny(time_limit=0)
    whole = hopeless.aggregate(CYCLE)
    assert whole.certificate.status == "gap"
    shares = ra.rank_shares(CYCLE, hopeless, n_resamples=30, rng=0)
    open_ones = sum((row > 0).all() for row in drawn(CYCLE, 30, 0))
    assert shares.notes[-1] == (
        f"{open_ones} of 30 resamples are not proved optimal: one ranking counts"
    )


def test_an_item_without_a_rank_has_none_in_json():
    table = ra.ScoreTable([[1, 2], [NAN, NAN]], systems="AB", higher_is_better=True)
    shares = ra.rank_shares(table, ra.Mean(), n_resamples=3, rng=0)
    as_dict = json.loads(json.dumps(shares.to_dict(), allow_nan=False))
    assert as_dict["items"][1] == {
        "item": "B", "first_in_every": 0, "first_in_some": 0, "mean_rank": None,
        "lower": None, "upper": None,
    }  # fmt: skip
    assert shares.summary().splitlines()[-1].split() == ["B", "0.000", "0.000", "-", "-", "-"]


def test_percentile_intervals_cut_alpha_half_at_each_end():
    drawn = np.random.default_rng(0).random((9, 30)).argsort().argsort()
    profile = ra.Profile.from_ranks(drawn)
    shares = ra.rank_shares(profile, ra.Borda(), n_resamples=200, rng=1)
    for alpha in (0.05, 0.1, 0.3, 0.5):
        frame = shares.to_frame(alpha)
        for at, item in enumerate(profile.items):
            first, last = sorted(shares.best[:, at]), sorted(shares.worst[:, at])
            # Between two resamples the outer one counts.
            assert frame["lower"][item] == first[int(199 * alpha / 2)]
            assert frame["upper"][item] == last[-1 - int(199 * alpha / 2)]


def test_summary_states_that_shares_are_not_confidence():
    shares = ra.rank_shares(CYCLE, KEMENY, n_resamples=50, rng=0)
    lines = shares.summary().splitlines()
    assert lines[0] == "Kemeny on 50 resamples of rankings; shares of resamples, not confidence"
    assert lines[1] == f"note: {shares.notes[0]}"
    assert shares.summary(rows=2).splitlines()[-1] == "... and 1 more item"
    fixed = ra.rank_shares(INSTANCES, BORDA, n_resamples=2, fixed_tasks=True, rng=0)
    assert fixed.summary().startswith("Borda on 2 resamples of rankings within tasks;")
    assert repr(shares) == "<RankShares of 3 items by Kemeny on 50 resamples>"
    facts, keys = shares.to_dict(), ("rule", "unit", "n_resamples", "fixed_tasks")
    assert [facts[name] for name in keys] == ["Kemeny", "ranking", 50, False]
    assert [row["item"] for row in facts["items"]] == shares.to_frame().index.tolist()


# -- refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"rule": "borda"}, "`rule`"),
        ({"n_resamples": 0}, "`n_resamples`"),
        ({"n_jobs": 0}, "`n_jobs`"),
        ({"unit": "day"}, "`unit`"),
        ({"unit": "task"}, "they have no tasks"),
        ({"unit": "instance"}, "they have no instances"),
        ({"unit": "instance", "instances": [1, 2]}, "`instances`"),
        ({"fixed_tasks": True}, "`fixed_tasks`"),
        ({"fixed_tasks": "yes"}, "`fixed_tasks`"),
        ({"rng": "seed"}, "`rng`"),
        ({"rule": TWO_LEVELS}, "a profile with groups"),
        ({"rule": ra.Mean()}, "Mean needs scores"),
        ({"data": CLOSE.pairwise()}, "`data` must be a ScoreTable or a Profile"),
        ({"data": INSTANCES, "unit": "task", "fixed_tasks": True}, "unless `unit='ranking'`"),
    ],
    ids=str,
)
def test_options_are_checked(options, words):
    with pytest.raises((InvalidInputError, InformationLostError), match=words):
        ra.rank_shares(**{"data": CLOSE, **options})


# -- resamples of sums ----------------------------------------------------------------------------


@pytest.mark.parametrize("rule", [ra.Borda(), ra.Mean(), KEMENY], ids=repr)
def test_tasks_of_sums_are_drawn_as_those_of_the_scores(rule):
    values = np.random.default_rng(3).integers(0, 5, (4, 30)).astype(float)
    table = ra.ScoreTable(
        values, tasks=list("abcde") * 6, instances=range(30), higher_is_better=True,
        task_weights={"a": 2.5},
    )  # fmt: skip
    options = {"unit": "task", "n_resamples": 40, "rng": 5}
    found = ra.rank_shares(ra.ScoreSummary.from_scores(table), rule, **options)
    expected = ra.rank_shares(table, rule, **options)
    np.testing.assert_array_equal(found.best, expected.best)
    np.testing.assert_array_equal(found.worst, expected.worst)


@pytest.mark.parametrize("options", [{"tolerance": 0.1}, {"instances": [1]}, {"unit": "system"}])
def test_options_that_summed_scores_lack_are_refused(options):
    table = ra.ScoreTable([[1, 2]], tasks="xx", instances=[0, 1], higher_is_better=True)
    with pytest.raises(InvalidInputError, match=next(iter(options))):
        ra.rank_shares(ra.ScoreSummary.from_scores(table), ra.Borda(), **options)
