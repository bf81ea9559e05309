# C types of evaluation.py.
cimport cython
from kibitz.engine cimport bits

ctypedef unsigned long long Bits

cdef int POINT_WORTH
cdef int RIGHT_WORTH
cdef int RETURN_CHANCE
cdef int MARK_WORTH
cdef int EXCHANGE_RISK
cdef int LOSS_RISK
cdef int STUCK_COST
cdef int TEMPO_WORTH
cdef int CLOSING_WORTH
cdef int CLOSING_SPAN

cdef int score_value(int points) noexcept nogil
cdef int rights_value(int rights) noexcept nogil
@cython.locals(count=cython.int)
cdef int marks_value(Bits marked, int lost) noexcept nogil
@cython.locals(loose=Bits)
cdef int danger_value(Bits attacked, Bits protected, Bits arrived) noexcept nogil
cdef int stuck_value(int stuck) noexcept nogil
cdef int closing_value(int lead, int remaining) noexcept nogil
