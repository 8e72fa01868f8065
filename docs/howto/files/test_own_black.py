from own_black import Black

from rankagg.testing.aggregators import AggregatorContract


class TestBlack(AggregatorContract):
    rules = (Black(),)
