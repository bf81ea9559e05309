# C types of table.py.
cimport cython

ctypedef unsigned long long Word

cdef int UPPER
cdef int LOWER
cdef int EXACT
cdef Word MOVE_MASK
cdef int VALUE_OFFSET
cdef int VALUE_SHIFT
cdef int DEPTH_SHIFT
cdef int BOUND_SHIFT
cdef int GENERATION_SHIFT
cdef int CLUSTER_WORDS
cdef int GENERATIONS
cdef int AGE_PENALTY

cdef class Table:
    cdef readonly int megabytes
    cdef Word clusters
    cdef Word generation
    cdef Word[::1] words

    cdef Py_ssize_t cluster_of(self, Word key) noexcept nogil
    @cython.locals(w=Py_ssize_t, data=Word)
    cdef Word probe(self, Word key) noexcept nogil
    @cython.locals(w=Py_ssize_t, data=Word, other=Word)
    cdef void store(self, Word key, Word move, int value, Word depth, Word bound) noexcept nogil
    @cython.locals(age=cython.int)
    cdef int worth(self, Word data) noexcept nogil
    @cython.locals(used=cython.int, sample=cython.int, cluster=cython.int, word=cython.int, data=Word)
    cpdef int fullness(self)
