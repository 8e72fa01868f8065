"""Contract suites for pytest: put your own rule, distribution, distance or plot under them.

Each suite is a class of tests that a subclass gets by naming what is to be tested. They need the
extra `test` (pytest and Hypothesis), and are imported from their modules:
`rankagg.testing.aggregators`, `distributions`, `distances`, `results`, `commands` and `plots`.
"""
