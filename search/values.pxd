# C constants of the same names and values as in values.py, which explains them.
cdef enum:
    WIN = 31000
    WIN_BOUND = 30000
    INFINITY = 31001
