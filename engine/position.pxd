# C types of position.py, which has the documentation.
cimport cython
from kibitz.engine cimport codes

cdef int SPARE_PLIES

cdef class Position:
    cdef readonly int side
    cdef readonly int status
    cdef readonly int ending
    cdef readonly unsigned long long key
    cdef readonly int quiet
    cdef readonly int quiet_limit
    cdef readonly int ply
    cdef readonly int floor
    cdef readonly int move_bound
    cdef readonly int saved_words
    cdef int[::1] moves
    cdef unsigned long long[::1] keys
    cdef unsigned long long[::1] saved
    cdef unsigned short[::1] standings

    cdef int generate(self, int first) noexcept nogil
    cdef int generate_noisy(self, int first) noexcept nogil
    cdef int gain(self, int move) noexcept nogil
    cdef int hint(self, int move) noexcept nogil
    cdef int list_bound(self) noexcept nogil
    cdef void do(self, int move) noexcept nogil
    cdef void undo(self) noexcept nogil
    cdef int evaluate(self) noexcept nogil
    cdef unsigned long long fresh_key(self) noexcept nogil

    @cython.locals(count=cython.int, i=cython.int)
    cdef int count_standings(self) noexcept nogil
    @cython.locals(slot=cython.int)
    cdef void stand_first(self)
    @cython.locals(turns=cython.longlong, used=cython.longlong)
    cpdef void reserve(self, int plies, int lists)
    cdef void make_room(self, int moves)
    @cython.locals(slot=cython.int, i=cython.int)
    cpdef void adopt_history(self, Position other)
