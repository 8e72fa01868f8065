from footrule_mallows import FootruleMallows

import rankagg as ra
from rankagg.testing.distributions import DistributionContract


class TestFootruleMallows(DistributionContract):
    distributions = (FootruleMallows(ra.Permutation.from_order("CABD"), theta=0.3),)
