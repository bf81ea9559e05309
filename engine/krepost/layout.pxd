# C constants of the same names and values as in layout.py, which explains them.
cdef enum:
    WORDS = 3
    STRIDE = 16
    SQUARES = 192
    WORD_SQUARES = 64
    SQUARE_MASK = 255
    FROM_SHIFT = 8
    PRISONER_SHIFT = 16
    SETTING = 16777216
    FROM_UNIT = 256
    BOTH_UNITS = 257
    MOST_STONES = 48
    MOST_TARGETS = 39
    MOST_NOISY = 6
    SAVED_WORDS = 1
    SIDE_SHIFT = 30
    QUIET_SHIFT = 32
    ENTRY = 1
    GARRISON = 2
    BLOCKED = 3
    QUIET = 4

# Too long for an enum.
cdef extern from *:
    """
    #define kibitz_krepost_lower_ranks 0xFFFFFFFFFFFFULL
    """
    const unsigned long long LOWER_RANKS "kibitz_krepost_lower_ranks"
