# C types of turns.py, which has the documentation.
cimport cython
from kibitz.engine cimport bits
from kibitz.engine.krepost cimport field, layout
from kibitz.engine.krepost.field cimport KrepostField

ctypedef unsigned long long Bits

@cython.locals(us=cython.int, count=cython.int, n=cython.int, word=cython.int, squares=Bits, to=cython.int, e0=Bits, e1=Bits, e2=Bits)
cdef int add_moves(KrepostField position, int first) noexcept nogil
@cython.locals(them=cython.int, count=cython.int, word=cython.int, squares=Bits, square=cython.int)
cdef int find_due(KrepostField position) noexcept nogil
@cython.locals(us=cython.int, s0=Bits, s1=Bits, s2=Bits, east0=Bits, east1=Bits, east2=Bits, n0=Bits, n1=Bits, n2=Bits)
cdef int add_steps(KrepostField position, int n, Bits e0, Bits e1, Bits e2) noexcept nogil
@cython.locals(shift=cython.int)
cdef int add_hits(KrepostField position, int n, Bits hits, int base, int back) noexcept nogil
@cython.locals(word=cython.int, jumpers=Bits, start=cython.int, count=cython.int, i=cython.int)
cdef int add_jumps(KrepostField position, int n) noexcept nogil
@cython.locals(one=Bits, square=cython.int, place=cython.int, seen0=Bits, seen1=Bits, seen2=Bits, word=cython.int, bit=Bits, i=cython.int, step=cython.int, to=cython.int, there=Bits)
cdef int follow_jumps(KrepostField position, int start, int count) noexcept nogil
@cython.locals(us=cython.int, n=cython.int, word=cython.int, squares=Bits, to=cython.int, i=cython.int, k=cython.int, open_fort=cython.bint, stones=Bits, bit=Bits, start=cython.int, count=cython.int, opens=cython.bint, move=cython.int)
cdef int add_captures(KrepostField position, int first, int due) noexcept nogil
@cython.locals(end=cython.int, word=cython.int, squares=Bits, square=cython.int)
cdef int add_rest(KrepostField position, int n, int move) noexcept nogil
@cython.locals(one=Bits, word=cython.int, place=cython.int, bit=Bits, empty=Bits, count=cython.int, to=cython.int)
cdef int find_steps(KrepostField position, int start) noexcept nogil
@cython.locals(us=cython.int, i=cython.int)
cdef void find_openers(KrepostField position) noexcept nogil
@cython.locals(one=Bits, m0=Bits, m1=Bits, m2=Bits, s0=Bits, s1=Bits, s2=Bits, here=Bits, there=Bits, i=cython.int)
cdef bint lets_escape(KrepostField position, int start, int to) noexcept nogil
@cython.locals(at=cython.int)
cdef bint fort_is_empty(KrepostField position, int side) noexcept nogil
cdef bint is_in_fort(KrepostField position, int side, int square) noexcept nogil
@cython.locals(them=cython.int, n=cython.int)
cdef int add_noisy(KrepostField position, int first) noexcept nogil
@cython.locals(at=cython.int, e0=Bits, e1=Bits, e2=Bits, word=cython.int, jumpers=Bits, start=cython.int, count=cython.int, i=cython.int)
cdef int add_entries(KrepostField position, int n) noexcept nogil
@cython.locals(companion=cython.int, at=cython.int, last=cython.int, stones=cython.int, word=cython.int, squares=Bits, end=cython.int, r0=Bits, r1=Bits, r2=Bits, square=cython.int)
cdef int add_prisoners(KrepostField position, int n) noexcept nogil
@cython.locals(us=cython.int, word=cython.int, squares=Bits, open_fort=cython.bint, stones=Bits, bit=Bits, start=cython.int, opens=cython.bint, count=cython.int, i=cython.int, to=cython.int)
cdef int find_companion(KrepostField position) noexcept nogil
