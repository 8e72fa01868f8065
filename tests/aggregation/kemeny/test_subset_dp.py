"""Dynamic programming over subsets against all orders."""

from hypothesis import given

import rankagg as ra
from rankagg.aggregation.kemeny.problem import SubsetTable
from tests.aggregation.kemeny.test_aggregator import integer_matrices
from tests.aggregation.kemeny.test_optima import brute


@given(votes=integer_matrices())
def test_subset_table_agrees_with_all_permutations(votes: ra.PairwiseMatrix) -> None:
    problem = ra.Kemeny().aggregate(votes).optima._problem
    table = SubsetTable(problem)
    cost, orders = brute(votes)
    assert table.cost == cost
    assert table.count() == len(orders)
    assert {tuple(order.tolist()) for order in table.orders()} == orders
