# Compiled callers get the compiler's builtins; see bits.py.
cdef extern from *:
    """
    #define kibitz_popcount(x) __builtin_popcountll(x)
    #define kibitz_lowest(x) __builtin_ctzll(x)
    """
    int popcount "kibitz_popcount"(unsigned long long bits) noexcept nogil
    int lowest "kibitz_lowest"(unsigned long long bits) noexcept nogil
