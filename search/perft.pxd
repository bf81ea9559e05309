# C types of perft.py.
cimport cython
from kibitz.engine.position cimport Position

cdef class Perft:
    cdef Position position
    cdef object gate
    cdef bint stopped
    cdef bint called

    @cython.locals(total=cython.longlong)
    cpdef long long count(self, int depth)
    @cython.locals(end=cython.int, i=cython.int, total=cython.longlong)
    cdef long long leaves(self, int depth, int first) noexcept nogil
    cdef bint heed(self) noexcept with gil
