# C types of evaluation.py.
cimport cython
from kibitz.engine cimport bits
from kibitz.engine.talisman cimport layout

ctypedef unsigned long long Bits

cdef int POINT_WORTH
cdef int PIECE_WORTH
cdef int TEMPO_WORTH
cdef int OPEN_CHANCE
cdef int CONTESTED_CHANCE
cdef int[5] BIG_CHANCES
cdef int FREEDOM_WORTH

cdef long long score_value(long long points) noexcept nogil
cdef int pieces_value(Bits own) noexcept nogil
@cython.locals(a=Bits, b=Bits, c=Bits, x=Bits, y=Bits, z=Bits, ups=Bits, downs=Bits)
cdef Bits two_corners(Bits own, Bits third) noexcept nogil
@cython.locals(empty=Bits)
cdef int triangle_chances(Bits own, Bits enemy, Bits unowned) noexcept nogil
@cython.locals(value=cython.int, free=Bits, ups=Bits, downs=Bits, big=Bits, bit=cython.int, parts=cython.int)
cdef int big_chances(Bits owned, Bits unowned) noexcept nogil
@cython.locals(empty=Bits, beside=Bits)
cdef int freedom_value(Bits own, Bits enemy) noexcept nogil
