# C constants of the same names and values as in codes.py.
cdef enum:
    ONGOING = 0
    P1_WIN = 1
    P2_WIN = 2
    DRAW = 3
    HISTORY_BITS = 14
    HISTORY_SIZE = 16384
    HISTORY_MASK = 16383
    FILTER_SIZE = 2048
    FILTER_MASK = 2047
