"""The exact Kemeny consensus, and a proof of it that needs no solver."""

from rankagg.aggregation.kemeny.aggregator import Kemeny
from rankagg.aggregation.kemeny.certificate import Certificate

__all__ = ["Certificate", "Kemeny"]
