# C constants of the same names and values as in layout.py, which explains them.
cdef enum:
    POINT_PAIR = 0x3FF
    CAPTURE = 0x400
    SETTING = 0x800
    ALL_POINTS = 0x1c79f3c7
    EDGE_POINTS = 0x1c491247
    DOWN_SHIFT = 32
    PIECES = 12
    POINT_SCORE = 1
    TRIANGLE_SCORE = 5
    BIG_SCORE = 20
    MOST_MOVES = 72
    SAVED_WORDS = 4
    BLOCKED = 1
    LEAD = 2
    QUIET = 3
    REPETITION = 4

# Too long for an enum.
cdef extern from *:
    """
    #define kibitz_talisman_all_triangles 0x38f1c30030e3c7ULL
    #define kibitz_talisman_low_half 0xFFFFFFFFULL
    """
    const unsigned long long ALL_TRIANGLES "kibitz_talisman_all_triangles"
    const unsigned long long LOW_HALF "kibitz_talisman_low_half"
