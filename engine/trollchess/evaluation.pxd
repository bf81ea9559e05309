# C types of evaluation.py.
cimport cython

cdef int ALIVE_WORTH
cdef int MOST_TURNS
cdef int[64] RACE_WORTH
cdef int[35] WHITE_WORTH
cdef int[35] BLACK_WORTH
cdef int MERCENARY_WORTH
cdef int GUARD_WORTH
cdef int EXPOSED_COST
cdef int GUARD_ATTACKED_COST
cdef int ATTACKED_COST
cdef int BLOCKED_COST
cdef int DRAGON_NEAR_WORTH
cdef int TEMPO_WORTH
cdef int VISIT_GAIN
cdef int KILL_GAIN
cdef int WIN_GAIN

cdef int race_value(int turns) noexcept nogil
cdef int material_value(int worth, bint enemy_alive) noexcept nogil
@cython.locals(worth=cython.int)
cdef int safety_value(bint guarded, bint exposed, bint attacked) noexcept nogil
