# Compiled callers read the clock without Python; see clock.py.
cdef extern from *:
    """
    #include <time.h>
    #ifdef __APPLE__
    #define KIBITZ_CLOCK CLOCK_UPTIME_RAW
    #else
    #define KIBITZ_CLOCK CLOCK_MONOTONIC
    #endif
    static inline long long kibitz_now(void) {
        struct timespec t;
        clock_gettime(KIBITZ_CLOCK, &t);
        return (long long)t.tv_sec * 1000000000LL + t.tv_nsec;
    }
    """
    long long now "kibitz_now"() noexcept nogil
