"""The inner loops of counting votes and local search, in NumPy or compiled by numba.

Both give the same integers. NumPy is the default, and the tests check numba against it.
"""
