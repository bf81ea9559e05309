# C types of alphabeta.py.
cimport cython
from kibitz.engine cimport codes
from kibitz.engine.position cimport Position
from kibitz.search cimport clock, table, values

cdef int MOST_PLIES
cdef int MOST_ROOM
cdef int MOST_QUIESCENCE
cdef int WIDEST_QUIESCENCE
cdef int VALUE_MASK
cdef int POLL_NODES
cdef int FIRST_NODES
cdef int TABLE_RANK
cdef int GAIN_RANK
cdef int KILLER_RANK
cdef int HINT_SHIFT
cdef int REDUCTION_DEPTH
cdef int REDUCTION_INDEX
cdef int LONG_LIST

cdef class AlphaBeta:
    cdef Position position
    cdef table.Table shared
    cdef object gate
    cdef public long long nodes
    cdef public int seldepth
    cdef public bint stop_wanted
    cdef public bint pause_wanted
    cdef public bint stopped
    cdef bint heeding
    cdef public long long node_limit
    cdef public long long deadline
    cdef long long next_poll
    cdef int room
    cdef int[::1] roots
    cdef readonly int root_count
    cdef readonly int best_root
    cdef int[::1] scores
    cdef int[::1] killers
    cdef int[::1] history
    cdef int[::1] line
    cdef int[::1] line_length

    @cython.locals(i=cython.int, move=cython.int)
    cpdef raise_root(self, int index, int place)
    @cython.locals(value=cython.int)
    cpdef int search_root(self, int depth, int alpha, int beta, int first)
    @cython.locals(best=cython.int, i=cython.int, move=cython.int, value=cython.int)
    cdef int root(self, int depth, int alpha, int beta, int first) noexcept nogil
    @cython.locals(us=cython.int, value=cython.int)
    cdef int after(self, int move, int depth, int alpha, int beta, int ply, int first) noexcept nogil
    @cython.locals(in_window=cython.bint, trusting=cython.bint, quiet=cython.bint, key=table.Word, known=table.Word, table_move=cython.int, end=cython.int, us=cython.int, best=cython.int, best_move=cython.int, floor=cython.int, i=cython.int, move=cython.int, less=cython.int, value=cython.int, bound=cython.int)
    cdef int node(self, int depth, int alpha, int beta, int ply, int first) noexcept nogil
    @cython.locals(best=cython.int, end=cython.int, i=cython.int, us=cython.int, widest=cython.int, move=cython.int, value=cython.int)
    cdef int quiescence(self, int alpha, int beta, int ply, int first, int depth) noexcept nogil
    @cython.locals(winner=cython.int)
    cdef int final_value(self, int ply) noexcept nogil
    cdef bint enter(self) noexcept nogil
    cdef void poll(self) noexcept nogil
    cdef void hold(self) noexcept with gil
    cpdef heed(self)
    @cython.locals(known_depth=cython.int, bound=cython.int, value=cython.int)
    cdef bint cuts(self, table.Word known, int depth, int alpha, int beta, int ply) noexcept nogil
    @cython.locals(value=cython.int)
    cdef int known_value(self, table.Word known, int ply) noexcept nogil
    cdef int stored_value(self, int value, int ply) noexcept nogil
    @cython.locals(side=cython.int, i=cython.int, move=cython.int, gain=cython.int, hint=cython.int, slot=cython.int)
    cdef void rank(self, int first, int end, int table_move, int ply) noexcept nogil
    @cython.locals(best=cython.int, i=cython.int, score=cython.int, move=cython.int)
    cdef void pick(self, int place, int end) noexcept nogil
    @cython.locals(bonus=cython.int, base=cython.int, i=cython.int)
    cdef void learn(self, int side, int move, int depth, int ply, int first, int cut) noexcept nogil
    @cython.locals(size=cython.int)
    cdef void teach(self, int slot, int bonus) noexcept nogil
    @cython.locals(width=cython.int, length=cython.int, i=cython.int)
    cdef void extend_line(self, int ply, int move) noexcept nogil
