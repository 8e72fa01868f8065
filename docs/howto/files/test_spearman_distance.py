from spearman_distance import spearman_distance

from rankagg.testing.distributions import DistanceContract


class TestSpearmanDistance(DistanceContract):
    distances = (spearman_distance,)
