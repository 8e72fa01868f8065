from unanimous_winner import UnanimousWinner

import rankagg as ra
from rankagg.testing.aggregators import AxiomContract


class TestUnanimousWinner(AxiomContract):
    axiom = UnanimousWinner()
    broken_by, kept_by = ra.Veto(), ra.Plurality()
