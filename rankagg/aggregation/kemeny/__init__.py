"""The exact Kemeny consensus, and a proof of it that needs no solver."""

from rankagg.aggregation.kemeny.aggregator import Kemeny, Slater
from rankagg.aggregation.kemeny.certificate import Certificate
from rankagg.aggregation.kemeny.optima import Optima

__all__ = ["Certificate", "Kemeny", "Optima", "Slater"]
