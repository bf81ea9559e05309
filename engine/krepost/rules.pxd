# C types of rules.py, which has the documentation.
cimport cython
from kibitz.engine cimport bits, codes
from kibitz.engine.krepost cimport evaluation, field, layout, turns
from kibitz.engine.krepost.field cimport KrepostField

ctypedef unsigned long long Bits

cdef Bits[384] STONE_KEYS
cdef Bits[128] HAND_KEYS
cdef Bits SIDE_KEY

cdef class KrepostPosition(KrepostField):
    cdef readonly int half
    cdef Bits game_key

    @cython.locals(one=Bits, key=Bits, side=cython.int, square=cython.int)
    cdef unsigned long long fresh_key(self) noexcept nogil
    @cython.locals(us=cython.int, own=cython.int, most=cython.int)
    cdef int list_bound(self) noexcept nogil
    cdef int generate(self, int first) noexcept nogil
    cdef int generate_noisy(self, int first) noexcept nogil
    @cython.locals(one=Bits, us=cython.int, them=cython.int, to=cython.int, word=cython.int, bit=Bits, quiet=cython.longlong, key=Bits, hand=cython.int, square=cython.int, status=cython.int, ending=cython.int)
    cdef void do(self, int move) noexcept nogil
    @cython.locals(one=Bits, us=cython.int, saved=Bits, to=cython.int, square=cython.int)
    cdef void undo(self) noexcept nogil
    @cython.locals(them=cython.int, square=cython.int, to=cython.int, worth=cython.int)
    cdef int gain(self, int move) noexcept nogil
    cdef int hint(self, int move) noexcept nogil
    cdef int evaluate(self) noexcept nogil

@cython.locals(at=cython.int)
cdef int turns_due(KrepostPosition position) noexcept nogil
@cython.locals(white=cython.int, black=cython.int)
cdef void settle(KrepostPosition position) noexcept nogil
@cython.locals(at=cython.int, count=cython.int)
cdef int half_count(KrepostPosition position, int side) noexcept nogil
@cython.locals(one=Bits, at=cython.int, word=cython.int, bit=Bits, east=Bits, other=cython.int)
cdef bint is_alone(KrepostPosition position, int side, int square) noexcept nogil
@cython.locals(at=cython.int, e0=Bits, e1=Bits, e2=Bits, s0=Bits, s1=Bits, s2=Bits, east=Bits, north=Bits)
cdef bint can_move(KrepostPosition position, int side) noexcept nogil
