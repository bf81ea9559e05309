# C types of evaluation.py, which has the documentation.
cimport cython
from kibitz.engine cimport bits
from kibitz.engine.krepost cimport field, layout
from kibitz.engine.krepost.field cimport KrepostField

ctypedef unsigned long long Bits

cdef int PRISONER_WORTH
cdef int HAND_WORTH
cdef int TURN_WORTH
cdef int[5] GARRISON_WORTHS
cdef int MOST_GARRISON
cdef int[7] WAY_WORTHS
cdef int MOST_WAY
cdef int[2] CAUGHT_TO_MOVE
cdef int[2] CAUGHT_WAITING
cdef int MOST_CAUGHT
cdef int HEMMED_WORTH
cdef int[4] EXIT_WORTHS
cdef int[4] EXIT_STONE_WORTHS
cdef int MOST_EXITS
cdef int MOST_SQUAD
cdef int PLACES
cdef int PLANE_WORDS
cdef int WIN_GAIN
cdef int SQUAD_GAIN
cdef int FEW_EXITS
cdef int CLOSING_HINT
cdef int LOOSENING_HINT
cdef int TERMS

@cython.locals(us=cython.int, value=cython.int, i=cython.int)
cdef int value_of(KrepostField position) noexcept nogil
@cython.locals(own=cython.int, enemy=cython.int, first=cython.int, s0=Bits, s1=Bits, s2=Bits, x0=Bits, x1=Bits, x2=Bits, left=cython.int, at=cython.int, value=cython.int, i=cython.int, caught=cython.int, more=cython.int)
cdef void appraise(KrepostField position, int side) noexcept nogil
@cython.locals(at=cython.int)
cdef int stones_in_fort(KrepostField position, int side) noexcept nogil
@cython.locals(own=cython.int, enemy=cython.int, s0=Bits, s1=Bits, s2=Bits, f0=Bits, f1=Bits, f2=Bits, steps=cython.int, value=cython.int, defenders=cython.int)
cdef int way_value(KrepostField position, int side) noexcept nogil
@cython.locals(own=cython.int, enemy=cython.int, m0=Bits, m1=Bits, m2=Bits, value=cython.int, stones=cython.int, exits=cython.int)
cdef int hemmed_value(KrepostField position, int side) noexcept nogil
cdef void take_squad(KrepostField position, Bits m0, Bits m1, Bits m2) noexcept nogil
@cython.locals(exits=cython.int, i=cython.int)
cdef int find_exits(KrepostField position) noexcept nogil
@cython.locals(one=Bits, to=cython.int, start=cython.int, word=cython.int, bit=Bits, us=cython.int, hint=cython.int)
cdef int hint_of(KrepostField position, int move) noexcept nogil
@cython.locals(i=cython.int, side=cython.int, at=cython.int, r0=Bits, r1=Bits, r2=Bits, exits=cython.int)
cdef void chart_threats(KrepostField position) noexcept nogil
