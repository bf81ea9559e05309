# C types of rules.py, which has the documentation.
cimport cython
from kibitz.engine cimport bits, codes
from kibitz.engine.trollchess cimport evaluation, layout
from kibitz.engine.trollchess.state cimport TrollchessState

ctypedef unsigned long long Bits

cdef unsigned short[8192] ARRIVALS
cdef unsigned char[640] GROUPS
cdef unsigned int[64] SEATS
cdef unsigned char[64] RIDERS
cdef Bits[600] LEAPS
cdef Bits[200] DIAGONALS
cdef signed char[8000] RAYS
cdef unsigned char[10000] MERCENARY_TURNS
cdef int[5] KIND_SHAPES
cdef Bits WHOLE_WORD

cdef class TrollchessPosition(TrollchessState):
    cdef int[::1] race
    cdef bint noisy
    cdef Bits[2] wanted
    cdef Bits[2] aims
    cdef Bits[64] aim_words
    cdef int[2] worth
    cdef int[2] dragons_near

    @cython.locals(count=cython.int)
    cdef int generate(self, int first) noexcept nogil
    @cython.locals(us=cython.int, them=cython.int, visits=cython.int)
    cdef int generate_noisy(self, int first) noexcept nogil
    @cython.locals(us=cython.Py_ssize_t, start=cython.Py_ssize_t, to=cython.Py_ssize_t, kind=cython.Py_ssize_t, there=cython.Py_ssize_t, place=cython.int, group=cython.Py_ssize_t, worth=cython.int, verdict=cython.int, visits=cython.int)
    cdef int gain(self, int move) noexcept nogil
    @cython.locals(us=cython.int)
    cdef int evaluate(self) noexcept nogil
    cdef int race_value_of(self, int side) noexcept nogil
    cdef int alive_value_of(self, int side) noexcept nogil
    cdef int material_value_of(self, int side) noexcept nogil
    @cython.locals(square=cython.int, exposed=cython.bint, attacked=cython.bint)
    cdef int safety_value_of(self, int side) noexcept nogil
    @cython.locals(visits=cython.int, count=cython.int, half=cython.Py_ssize_t, squares=Bits, content=cython.int)
    cdef int blocked_value_of(self, int side) noexcept nogil
    cdef int dragons_value_of(self, int side) noexcept nogil
    cdef int side_value(self, int side) noexcept nogil

@cython.locals(us=cython.Py_ssize_t, half=cython.Py_ssize_t, movers=Bits, start=cython.Py_ssize_t, content=cython.Py_ssize_t, piece=cython.Py_ssize_t)
cdef int add_moves(TrollchessPosition position, int n) noexcept nogil
@cython.locals(row=cython.Py_ssize_t, kind=cython.Py_ssize_t, group=cython.Py_ssize_t)
cdef int add_groups(TrollchessPosition position, int n, Py_ssize_t start, Py_ssize_t content) noexcept nogil
@cython.locals(us=cython.Py_ssize_t, row=cython.Py_ssize_t, here=cython.Py_ssize_t, has_wanderer=cython.bint, half=cython.Py_ssize_t, aims=Bits, targets=Bits, target=Bits, to=cython.Py_ssize_t, verdict=cython.int, quiet=cython.bint)
cdef int add_leaps(TrollchessPosition position, int n, Py_ssize_t move, Py_ssize_t group, Py_ssize_t shape) noexcept nogil
@cython.locals(row=cython.Py_ssize_t, here=cython.Py_ssize_t, direction=cython.Py_ssize_t, i=cython.Py_ssize_t, to=cython.Py_ssize_t, there=cython.Py_ssize_t)
cdef int add_slides(TrollchessPosition position, int n, Py_ssize_t start, Py_ssize_t content, Py_ssize_t directions) noexcept nogil
@cython.locals(us=cython.Py_ssize_t, row=cython.Py_ssize_t, half=cython.Py_ssize_t, targets=Bits, to=cython.Py_ssize_t)
cdef int add_robber(TrollchessPosition position, int n, Py_ssize_t start, Py_ssize_t content) noexcept nogil
cdef bint is_possible(TrollchessPosition position, int verdict, Py_ssize_t to) noexcept nogil
@cython.locals(word=Bits)
cdef bint is_resting(TrollchessPosition position, Bits square) noexcept nogil
@cython.locals(half=cython.Py_ssize_t, squares=Bits, square=cython.Py_ssize_t, content=cython.Py_ssize_t, side=cython.int, wanderer=cython.int, leaps=Bits)
cdef void survey(TrollchessPosition position) noexcept nogil
@cython.locals(square=cython.int, mercenary=cython.int, visits=cython.int, row=cython.int, pair_row=cython.int, paired=cython.bint, turns=cython.int, together=cython.int, content=cython.int)
cdef int turns_left(TrollchessPosition position, int side) noexcept nogil
@cython.locals(visits=cython.int, row=cython.int, arrivals=cython.int, wait=cython.int, word=Bits, best=cython.int, half=cython.Py_ssize_t, targets=Bits, to=cython.Py_ssize_t, after=cython.int)
cdef int turns_riding(TrollchessPosition position, int side, Bits square, int content, int paired) noexcept nogil
@cython.locals(first=cython.int, half=cython.Py_ssize_t, enemies=Bits, leapers=Bits, content=cython.int, start=cython.Py_ssize_t, direction=cython.Py_ssize_t, i=cython.Py_ssize_t, to=cython.Py_ssize_t)
cdef bint is_attacked(TrollchessPosition position, Py_ssize_t square, int by) noexcept nogil
