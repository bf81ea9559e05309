# C types of rules.py, which has the documentation.
cimport cython
from kibitz.engine cimport bits, codes
from kibitz.engine.position cimport Position
from kibitz.engine.jarmo cimport evaluation, layout

ctypedef unsigned long long Bits

cdef int[25] RETURN_CODES
cdef Bits KEY_MASK
cdef Bits[128] ARCHER_KEYS
cdef Bits SIDE_KEY
cdef Bits[2] MEMORY_FACTORS
cdef Bits[2] FIRST_ROWS

cdef class JarmoPosition(Position):
    cdef readonly object geometry
    cdef Bits[64] targets
    cdef int[64] distances
    cdef int[64] worths
    cdef Bits[2] force
    cdef Bits[2] memory
    cdef Bits[2] reach
    cdef int[2] progress
    cdef int[2] remaining
    cdef int[2] stuck

    @cython.locals(key=Bits, side=cython.int, hole=cython.int, marked=cython.int)
    cdef unsigned long long fresh_key(self) noexcept nogil
    @cython.locals(own=Bits)
    cdef int points_of(self, int side) noexcept nogil
    cdef int generate(self, int first) noexcept nogil
    @cython.locals(us=cython.int)
    cdef int generate_noisy(self, int first) noexcept nogil
    @cython.locals(us=cython.Py_ssize_t, own=Bits, memory=Bits, here=cython.Py_ssize_t, there=Bits, returning=cython.bint, n=cython.int, movers=Bits, start=cython.Py_ssize_t, to=cython.Py_ssize_t, steps=Bits)
    cdef int add_moves(self, int first, Bits wanted) noexcept nogil
    @cython.locals(us=cython.int, force=Bits, enemy=Bits, own=Bits, empty=Bits)
    cdef int add_returns(self, int n, int start, int to) noexcept nogil
    @cython.locals(us=cython.Py_ssize_t, them=cython.Py_ssize_t, w=cython.Py_ssize_t, start=cython.Py_ssize_t, to=cython.Py_ssize_t, back=cython.Py_ssize_t, hole=cython.Py_ssize_t, marked=Bits, force=Bits, enemy=Bits, memory=Bits, lifted=Bits, caught=Bits, rights=Bits, count=Bits, key=Bits, factor=Bits, reverse=Bits, fresh=Bits, quiet=cython.int)
    cdef void do(self, int move) noexcept nogil
    @cython.locals(us=cython.Py_ssize_t, w=cython.Py_ssize_t, word=Bits)
    cdef void undo(self) noexcept nogil
    cdef void finish(self, int status, int ending) noexcept nogil
    @cython.locals(white=cython.int, black=cython.int)
    cdef int leader(self) noexcept nogil
    @cython.locals(us=cython.int, start=cython.int, to=cython.int, worth=cython.int, marked=cython.int, lost=Bits)
    cdef int gain(self, int move) noexcept nogil
    @cython.locals(us=cython.int)
    cdef int evaluate(self) noexcept nogil
    @cython.locals(own=Bits, movers=Bits, reach=Bits, steps=Bits, progress=cython.int, remaining=cython.int, stuck=cython.int, start=cython.int)
    cdef void survey(self, int side) noexcept nogil
    @cython.locals(force=Bits, lost=cython.int)
    cdef int marks_value_of(self, int side) noexcept nogil
    @cython.locals(own=Bits)
    cdef int danger_value_of(self, int side) noexcept nogil
    @cython.locals(points=cython.int)
    cdef int side_value(self, int side) noexcept nogil

@cython.locals(white=Bits, black=Bits)
cdef void settle(JarmoPosition position) noexcept nogil
@cython.locals(us=cython.Py_ssize_t, own=Bits, movers=Bits, memory=Bits, start=Bits, steps=Bits, banned=Bits)
cdef bint can_move(JarmoPosition position) noexcept nogil
