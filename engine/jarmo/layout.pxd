# C constants of the same names and values as in layout.py, which explains them.
cdef enum:
    SIZE = 5
    HOLES = 25
    ALL_HOLES = 0x1FFFFFF
    ARCHERS = 5
    NOWHERE = 31
    MARK_SHIFT = 32
    STEP_MASK = 0x3FF
    COUNT_SHIFT = 10
    COUNT_MASK = 3
    RIGHTS_SHIFT = 12
    MOST_TO_AND_FRO = 3
    RETURN_SHIFT = 10
    RETURN_MASK = 7
    RANK_SHIFT = 14
    SAVED_WORDS = 3
    ARRIVED = 1
    CAPTURED = 2
    BLOCKED = 3
    QUIET = 4
    REPETITION = 5

# Too long for an enum.
cdef extern from *:
    """
    #define kibitz_jarmo_archer_and_mark 0x100000001ULL
    #define kibitz_jarmo_low_half 0xFFFFFFFFULL
    """
    const unsigned long long ARCHER_AND_MARK "kibitz_jarmo_archer_and_mark"
    const unsigned long long LOW_HALF "kibitz_jarmo_low_half"
