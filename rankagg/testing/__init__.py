"""Contract suites for pytest: put your own rule, distribution, axiom or study under them.

Each suite is a class of tests that a subclass gets by naming what is to be tested. They need the
extra `test` (pytest and Hypothesis), and are imported from their modules:
`rankagg.testing.aggregators` (rules, axioms), `distributions` (and distances), `results`, `plots`,
`commands` (and readers) and `studies`.
"""
