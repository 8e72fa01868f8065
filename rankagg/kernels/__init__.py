"""The inner loops: counting votes, in NumPy and, where numba is installed, compiled.

Both give the same integers. NumPy is the default and the oracle of the compiled ones.
"""
