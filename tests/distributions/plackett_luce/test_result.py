"""Results of a fit of Plackett-Luce: differences, intervals, tests."""

import itertools

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.text import Text
from scipy import stats

import rankagg as ra
from tests.distributions.luce_by_hand import DATA, every_kind


@every_kind
def test_estimates_are_relative_to_the_reference_item(kind):
    fit = ra.PlackettLuce.fit(DATA[kind])
    frame = fit.relative_to("C")
    assert frame.loc["C", "estimate"] == 0
    assert frame.loc["C", ["std_err", "z", "p_value"]].isna().all()
    for item, i in (("A", 0), ("B", 1), ("D", 3)):
        difference = fit.estimates[i] - fit.estimates[2]
        cov = fit.covariance
        error = np.sqrt(cov[i, i] + cov[2, 2] - 2 * cov[i, 2])
        assert frame.loc[item, "estimate"] == pytest.approx(difference)
        assert frame.loc[item, "std_err"] == pytest.approx(error)
        assert frame.loc[item, "z"] == pytest.approx(difference / error)
        p_value = 2 * stats.norm.sf(abs(difference / error))
        assert frame.loc[item, "p_value"] == pytest.approx(p_value)
    for name, i in zip(fit.names[4:], range(4, len(fit.names)), strict=True):
        assert frame.loc[name, "estimate"] == pytest.approx(fit.estimates[i])
        assert frame.loc[name, "std_err"] == pytest.approx(fit.standard_errors[i])


def test_an_unknown_reference_is_refused():
    fit = ra.PlackettLuce.fit(DATA["complete"])
    for call in (fit.relative_to, lambda item: fit.summary(reference=item)):
        with pytest.raises((KeyError, ValueError), match="Z"):
            call("Z")


def test_the_summary_relative_to_an_item():
    fit = ra.PlackettLuce.fit(DATA["ties of 2"])
    text = str(fit.summary(alpha=0.1, reference="B"))
    row = fit.relative_to("B").loc["A"]
    radius = stats.norm.ppf(0.95) * row["std_err"]
    for part in ("Log worths less that of B.", "[0.05", f"{row['estimate']:.4f}",
                 f"{row['estimate'] - radius:.4f}", f"{row['estimate'] + radius:.4f}"):  # fmt: skip
        assert part in text
    assert "sum to 0" not in text
    assert "Buckets of up to 2" in text


# Orders and weights: complete, of some items, and of all with the first two listed.
ORDERS = {
    "complete": (["ABCD", "BADC", "DABC"], [1.0, 1.0, 1.0]),
    "weighted": (["ABCD", "BADC", "DABC"], [1.0, 3.0, 0.5]),
    "some items": (["ABC", "CAD", "DBA", "BD"], [1.0, 1.0, 2.0, 1.0]),
    "lists of 2": (["ABCD", "BADC", "DABC"], [1.0, 1.0, 2.0]),
}


def savage_scores(orders, weights, items, listed=99):
    """Return the score of each item: chosen, less the chances to be, over all choices."""
    scores = dict.fromkeys(items, 0.0)
    for order, weight in zip(orders, weights, strict=True):
        choices = min(listed, len(order) - 1)
        for place, item in enumerate(order):
            chances = sum(1 / (len(order) - q) for q in range(min(place + 1, choices)))
            scores[item] += weight * ((place < choices) - chances)
    return np.array(list(scores.values()))


@pytest.mark.parametrize("kind", ORDERS)
def test_the_score_of_equal_worths_has_the_covariance_of_all_orders(kind):
    orders, weights = ORDERS[kind]
    items, listed = sorted(set("".join(orders))), 2 if kind == "lists of 2" else 99
    covariance = np.zeros((len(items),) * 2)
    for order, weight in zip(orders, weights, strict=True):
        ways = itertools.permutations(order)
        rows = [savage_scores([way], [weight], items, listed) for way in ways]
        covariance += np.cov(np.array(rows), rowvar=False, bias=True)
    scores = savage_scores(orders, weights, items, listed)
    profile = ra.Profile.from_orders(orders, weights=weights)
    if listed == 2:
        lists = [ra.PartialRanking.from_top_k(order[:2], items=items) for order in orders]
        profile = ra.Profile(lists, weights=weights)
    for options in ({"pseudo_rankings": 0.5}, {"ridge": 1.0}):
        test = ra.PlackettLuce.fit(profile, **options).test_equal_worths()
        assert test.statistic == pytest.approx(scores @ np.linalg.pinv(covariance) @ scores)
        assert test.pvalue == pytest.approx(stats.chi2.sf(test.statistic, len(items) - 1))
        assert (test.df, "Wald" in repr(test)) == (len(items) - 1, False)


def test_a_fit_is_drawn_at_its_level():
    fit = ra.PlackettLuce.fit(DATA["complete"])
    figure, axes = plt.subplots(1, 2)
    drawn = fit.plot(ax=axes[0]), fit.plot(alpha=0.2, ax=axes[1])
    assert drawn == tuple(axes)
    words = ["".join(text.get_text() for text in ax.findobj(Text)).split() for ax in axes]
    assert "95 % intervals" in " ".join(words[0])
    assert "80 % intervals" in " ".join(words[1])
    plt.close(figure)
