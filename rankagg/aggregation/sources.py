"""Where it is proved which rule keeps which axiom; what rules state about themselves."""

from collections.abc import Mapping
from typing import Any, TypeAlias

#: Names of axioms, each with the proof or its source, or with ballots such as "2 ABC, 1 CBA".
Statements: TypeAlias = Mapping[str, str]
#: Names for the command line, each with the parameters of the rule that it stands for.
CommandNames: TypeAlias = Mapping[str, Mapping[str, Any]]

BRANDT = "Brandt (2009), https://doi.org/10.1002/malq.200810017"
FELSENTHAL = "Felsenthal (2012), https://doi.org/10.1007/978-3-642-20441-8_3"
FISHBURN = "Fishburn (1977), https://doi.org/10.1137/0133030"
FISHBURN_BRAMS = "Fishburn and Brams (1983), https://doi.org/10.2307/2689808"
FISHBURN_GEHRLEIN = "Fishburn and Gehrlein (1976), Public Choice 28, 79-88"
MOULIN = "Moulin (1988), https://doi.org/10.1016/0022-0531(88)90253-0"
SCHULZE = "Schulze (2011), https://doi.org/10.1007/s00355-010-0475-4"
SMITH = "Smith (1973), https://doi.org/10.2307/1914033"
TIDEMAN = "Tideman (1987), https://doi.org/10.1007/BF00433944"
WOODALL = "Woodall (1997), https://doi.org/10.1016/S0166-218X(96)00100-X"
YOUNG = "Young (1975), https://doi.org/10.1137/0128067"
YOUNG_LEVENGLICK = "Young and Levenglick (1978), https://doi.org/10.1137/0135023"
ZAVIST = "Zavist and Tideman (1989), https://doi.org/10.1007/BF00303170"

TURNED_POINTS = "points change sides of their mean, and who wins alone has more than the mean"
# What holds of points for places, whatever the points.
POINTS_KEEP: Statements = {
    "monotonicity": "who rises gets no fewer points, and no other gets more",
    "participation": f"a ballot gives the most to what it has highest; {MOULIN}",
    "reinforcement": f"points add up; {YOUNG}",
    "reinforcement of rankings": f"points add up; {SMITH}",
}
# Each of A, B, C and D loses to another in a cycle.
LONG_CYCLE = "1 ABCD, 1 BCDA, 1 CDAB"
