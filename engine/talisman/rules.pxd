# C types of rules.py, which has the documentation.
cimport cython
from kibitz.engine cimport bits, codes
from kibitz.engine.position cimport Position
from kibitz.engine.talisman cimport evaluation, layout

ctypedef unsigned long long Bits

cdef Bits KEY_MASK
cdef Bits[64] PIECE_KEYS
cdef Bits[128] TRIANGLE_KEYS
cdef Bits SIDE_KEY
cdef Bits[2] TAKEN_FACTORS
cdef Bits[1024] RUNS
cdef Bits[1024] TURNING_KEYS

cdef int step_along(int direction) noexcept nogil
cdef Bits corners_of_ups(Bits pieces) noexcept nogil
cdef Bits triangles_in(Bits pieces) noexcept nogil
@cython.locals(ups=Bits, downs=Bits)
cdef int big_triangles_in(Bits triangles) noexcept nogil
cdef int triangles_worth(Bits owned) noexcept nogil
@cython.locals(beside=Bits)
cdef bint can_step(Bits own, Bits empty) noexcept nogil
@cython.locals(run=Bits, i=cython.int, step=cython.int)
cdef bint can_capture(Bits own, Bits enemy, Bits empty) noexcept nogil

cdef class TalismanPosition(Position):
    cdef Bits[2] pieces
    cdef Bits[2] triangles
    cdef Bits[2] taken
    cdef Bits[2] awarded

    @cython.locals(key=Bits, side=cython.int, bit=cython.int)
    cdef unsigned long long fresh_key(self) noexcept nogil
    @cython.locals(own=Bits, enemy=Bits, empty=Bits, hits=Bits, n=cython.int, to=cython.int, i=cython.int, step=cython.int)
    cdef int generate(self, int first) noexcept nogil
    @cython.locals(n=cython.int, i=cython.int, count=cython.int)
    cdef int generate_noisy(self, int first) noexcept nogil
    @cython.locals(own=Bits, enemy=Bits, run=Bits, hits=Bits, to=cython.int, leap=cython.int)
    cdef int add_captures(self, int n, int step, Bits empty) noexcept nogil
    @cython.locals(us=cython.int, them=cython.int, w=cython.int, start=cython.int, to=cython.int, own=Bits, enemy=Bits, quiet=cython.longlong, key=Bits, run=Bits, gained=Bits, slot=cython.int, standings=cython.int)
    cdef void do(self, int move) noexcept nogil
    @cython.locals(us=cython.int, w=cython.int, word=Bits)
    cdef void undo(self) noexcept nogil
    @cython.locals(own=Bits, enemy=Bits, empty=Bits)
    cdef void settle(self) noexcept nogil
    cdef void finish(self, int status, int ending) noexcept nogil
    @cython.locals(white=cython.int, black=cython.int)
    cdef int leader(self) noexcept nogil
    @cython.locals(lead=cython.int, leader=cython.int, other=cython.int, unowned=Bits, owned=Bits, bigs=cython.int)
    cdef bint lead_is_safe(self) noexcept nogil
    @cython.locals(start=cython.int, to=cython.int, us=cython.int, worth=cython.int, own=Bits, run=Bits, owned=Bits, gained=Bits, points=cython.int)
    cdef int gain(self, int move) noexcept nogil
    @cython.locals(us=cython.int)
    cdef int evaluate(self) noexcept nogil
    @cython.locals(own=Bits, enemy=Bits, unowned=Bits)
    cdef long long side_value(self, int side) noexcept nogil
