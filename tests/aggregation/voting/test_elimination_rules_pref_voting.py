"""Winners against those of another package, on random profiles of strict complete ballots.

It has no Young. Ties for going out are broken as stated there: at once in
the plain methods, in all ways in those that end in "put".
"""

import numpy as np
import pytest

import rankagg as ra

RULES = {
    "plurality": ra.Plurality(),
    "anti_plurality": ra.Veto(),
    "instant_runoff": ra.InstantRunoff(),
    "instant_runoff_put": ra.InstantRunoff(tie_breaking="parallel"),
    "coombs": ra.Coombs(),
    "coombs_put": ra.Coombs(tie_breaking="parallel"),
    "baldwin": ra.Baldwin(),
    "baldwin_put": ra.Baldwin(tie_breaking="parallel"),
    "weak_nanson": ra.Nanson(),
    "blacks": ra.Black(),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", RULES)
def test_winners_on_random_profiles(name: str) -> None:
    pytest.importorskip("pref_voting", reason="pref_voting is not installed")
    from pref_voting import voting_methods  # noqa: PLC0415
    from pref_voting.profiles import Profile  # noqa: PLC0415

    rng = np.random.default_rng(19)
    differing = []
    for _ in range(1000):
        n, m = int(rng.integers(2, 7)), int(rng.integers(1, 13))
        orders = [rng.permutation(n).tolist() for _ in range(m)]
        ours = RULES[name].aggregate(ra.Profile.from_orders(orders, items=range(n))).buckets[0]
        theirs = getattr(voting_methods, name)(Profile(orders))
        if sorted(ours) != sorted(theirs):
            differing.append((orders, ours, theirs))
    assert not differing, (len(differing), differing[:3])
