"""The exact Kemeny consensus, with a proof that can be checked without a solver."""

from rankagg.aggregation.kemeny.aggregator import Kemeny, Slater
from rankagg.aggregation.kemeny.certificate import Certificate
from rankagg.aggregation.kemeny.optima import Optima

__all__ = ["Certificate", "Kemeny", "Optima", "Slater"]
