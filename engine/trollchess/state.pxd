# C types of state.py, which has the documentation.
cimport cython
from kibitz.engine cimport bits, codes
from kibitz.engine.position cimport Position
from kibitz.engine.trollchess cimport layout

ctypedef unsigned long long Bits

cdef Bits SIDE_KEY
cdef Bits[3500] CONTENT_KEYS
cdef Bits[900] REST_KEYS
cdef Bits[256] VISIT_KEYS
cdef unsigned short[8192] ARRIVALS
cdef unsigned char[4096] JOINED
cdef unsigned char[640] GROUPS
cdef unsigned char[4096] LEFT
cdef unsigned char[64] OWNERS
cdef unsigned int[64] SEATS
cdef unsigned char[64] RIDERS
cdef Bits ONE
cdef unsigned int BOTH_DEAD
cdef unsigned int BOTH_WANDERERS
cdef Bits LOW_HALF

cdef class TrollchessState(Position):
    cdef readonly object ground
    cdef Bits ground_key
    cdef unsigned char[100] dark
    cdef unsigned char[100] places
    cdef unsigned char[100] cells
    cdef Bits[4] occupied
    cdef readonly unsigned int seats
    cdef readonly unsigned int visited
    cdef readonly Bits resting

    @cython.locals(key=Bits, square=cython.int, word=Bits)
    cdef unsigned long long fresh_key(self) noexcept nogil
    cdef int where(self, int number) noexcept nogil
    @cython.locals(us=cython.Py_ssize_t, them=cython.Py_ssize_t, place=cython.Py_ssize_t, word=Bits, key=Bits, start=cython.Py_ssize_t, to=cython.Py_ssize_t, kind=cython.Py_ssize_t, content=cython.Py_ssize_t, there=cython.Py_ssize_t, group=cython.Py_ssize_t, left=cython.Py_ssize_t, after=cython.Py_ssize_t, seats=cython.uint, verdict=cython.Py_ssize_t, square=cython.Py_ssize_t)
    cdef void do(self, int move) noexcept nogil
    @cython.locals(place=cython.Py_ssize_t, word=Bits, start=cython.Py_ssize_t)
    cdef void undo(self) noexcept nogil

@cython.locals(owners=cython.int, bit=Bits)
cdef void put(TrollchessState position, Py_ssize_t square, Py_ssize_t content) noexcept nogil
@cython.locals(square=cython.Py_ssize_t)
cdef Bits rest_key(Py_ssize_t entry) noexcept nogil
@cython.locals(entry=cython.Py_ssize_t, word=Bits, shift=cython.int)
cdef Bits rest(TrollchessState position, Py_ssize_t square, Py_ssize_t turns) noexcept nogil
@cython.locals(word=Bits, kept=Bits, shift=cython.int, change=Bits, entry=Bits)
cdef Bits wake(TrollchessState position, Bits square) noexcept nogil
@cython.locals(word=Bits, kept=Bits, shift=cython.int, change=Bits, entry=Bits)
cdef Bits pass_time(TrollchessState position) noexcept nogil
@cython.locals(place=cython.Py_ssize_t, side=cython.int, visited=cython.uint, change=Bits)
cdef Bits visit(TrollchessState position, unsigned int seats, Py_ssize_t to) noexcept nogil
cdef void reach_goal(TrollchessState position, int side) noexcept nogil
cdef void settle(TrollchessState position) noexcept nogil
