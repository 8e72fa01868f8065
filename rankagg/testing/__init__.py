"""Contract suites for pytest, to test your own rules, distributions, axioms and studies.

Each suite is a class of tests; a subclass names the object to be tested. They need the
extra `test` (pytest and Hypothesis), and are imported from their modules:
`rankagg.testing.aggregators` (rules, axioms), `distributions` (and distances), `results`, `plots`,
`commands` (and readers) and `studies`.
"""
