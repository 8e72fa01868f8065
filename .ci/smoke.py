"""What must work with every allowed version of what rankagg needs: a cycle, a fit, a page."""

import rankagg as ra

cycle = ra.datasets.load("condorcet_1785")
for backend in ("cuts", "pulp"):
    exact = ra.Kemeny(backend=backend).aggregate(cycle)
    assert exact.cost == 76, exact
    assert exact.certificate.status == "optimal", exact.certificate
    assert exact.certificate.verify(cycle.pairwise())

squares = {1, 3, 4, 5, 9}
paley = [[int((i - j) % 11 in squares) for j in range(11)] for i in range(11)]
hard = ra.Kemeny().aggregate(ra.PairwiseMatrix.from_wins(paley))
assert (hard.cost, hard.certificate.status) == (20.0, "optimal"), hard

fit = ra.PlackettLuce.fit(cycle)
assert fit.converged, fit
assert "Log worths" in str(fit.summary())

page = ra.make_report(ra.datasets.load("superglue_human"))
assert "NEZHA Plus" in page.html
