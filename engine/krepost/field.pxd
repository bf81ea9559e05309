# C types of field.py, which has the documentation.
cimport cython
from kibitz.engine.krepost cimport layout
from kibitz.engine.position cimport Position

ctypedef unsigned long long Bits

cdef class KrepostField(Position):
    cdef readonly object geometry
    cdef Bits[6] stones
    cdef int[2] hand
    cdef Bits[3] inside
    cdef Bits[3] edge
    cdef Bits[3] east
    cdef Bits[3] north
    cdef Bits[6] zone
    cdef Bits[6] fort
    cdef Bits[3] region
    cdef Bits[3] empty
    cdef Bits[3] free
    cdef Bits[6] caught
    cdef bint surveyed
    cdef Bits[12] jumps
    cdef Bits[3] jumpers
    cdef Bits[3] due
    cdef int[48] prisoners
    cdef int[40] targets
    cdef Bits[3] freed
    cdef Bits[3] openers
    cdef readonly int started
    cdef int[16] values
    cdef Bits[36] planes
    cdef int[384] hints
    cdef bint threats_known
    cdef Bits[3] closing
    cdef Bits[3] loosening

@cython.locals(e0=Bits, e1=Bits, e2=Bits, n0=Bits, n1=Bits, n2=Bits, o0=Bits, o1=Bits, o2=Bits)
cdef void spread(KrepostField field, Bits s0, Bits s1, Bits s2, Bits m0, Bits m1, Bits m2) noexcept nogil
@cython.locals(e0=Bits, e1=Bits, e2=Bits, n0=Bits, n1=Bits, n2=Bits)
cdef void touch(KrepostField field, Bits s0, Bits s1, Bits s2) noexcept nogil
@cython.locals(m0=Bits, m1=Bits, m2=Bits, s0=Bits, s1=Bits, s2=Bits, i=cython.int, at=cython.int)
cdef void survey(KrepostField field) noexcept nogil
@cython.locals(one=Bits, bit=Bits, m0=Bits, m1=Bits, m2=Bits, s0=Bits, s1=Bits, s2=Bits)
cdef bint escapes(KrepostField field, int square, int without) noexcept nogil
@cython.locals(own0=Bits, own1=Bits, own2=Bits, e0=Bits, e1=Bits, e2=Bits, east0=Bits, east1=Bits, east2=Bits, north0=Bits, north1=Bits, north2=Bits, over0=Bits, over1=Bits, over2=Bits, i=cython.int)
cdef void chart_jumps(KrepostField field, int side) noexcept nogil
