"""The transposition table, shared by the threads of a search.

Compiled; the types are in `table.pxd`. An entry is two 64-bit words, `key ^ data` and
`data`; two entries make a cluster. Threads write without locks: an entry torn between
two writers does not match any key (Hyatt, Mann, "A lockless transposition table", 2002).
The memory is anonymous and becomes real only as entries are written.

A data word holds, from the lowest bit: the move (31 bits), the value (16, plus
`VALUE_OFFSET`), the depth (8), the bound (2), and the generation (5). A data word of 0 is
no entry, for every entry has a bound.
"""

import mmap

UPPER = 1
LOWER = 2
EXACT = 3

VALUE_OFFSET = 32_768
MOVE_MASK = (1 << 31) - 1
VALUE_SHIFT = 31
DEPTH_SHIFT = 47
BOUND_SHIFT = 55
GENERATION_SHIFT = 57

CLUSTER_WORDS = 4
CLUSTER_BYTES = 8 * CLUSTER_WORDS
GENERATIONS = 32
# An entry of an earlier search counts as so much shallower for each search since.
AGE_PENALTY = 4
SAMPLED_CLUSTERS = 500


class Table:
    """A table of `megabytes` MiB, at least 1. Raises `OSError` when the system has no room."""

    def __init__(self, megabytes: int) -> None:
        """Reserve the memory, all zero."""
        self.megabytes = megabytes
        self.clusters = (megabytes << 20) // CLUSTER_BYTES
        self.generation = 0
        self.words = memoryview(mmap.mmap(-1, megabytes << 20)).cast("B").cast("Q")

    def clear(self) -> None:
        """Forget all entries, giving their memory back to the system."""
        self.words = memoryview(mmap.mmap(-1, self.megabytes << 20)).cast("B").cast("Q")
        self.generation = 0

    def begin_search(self) -> None:
        """Make all present entries one search older."""
        self.generation = (self.generation + 1) % GENERATIONS

    def cluster_of(self, key: int) -> int:
        """Give the first word of a key's cluster, from the high 32 of its 62 bits."""
        return (((key >> 30) * self.clusters) >> 32) * CLUSTER_WORDS

    def probe(self, key: int) -> int:
        """Give the data word stored for a key, or 0."""
        w = self.cluster_of(key)
        data = self.words[w + 1]
        if (self.words[w] ^ data) == key:
            return data
        data = self.words[w + 3]
        if (self.words[w + 2] ^ data) == key:
            return data
        return 0

    def store(self, key: int, move: int, value: int, depth: int, bound: int) -> None:
        """Store what a search found; of a cluster the less useful entry makes room.

        `depth` is from 0 to 255. A `move` of 0 keeps the move already known.
        """
        w = self.cluster_of(key)
        data = self.words[w + 1]
        if (self.words[w] ^ data) != key:
            other = self.words[w + 3]
            if (self.words[w + 2] ^ other) == key or self.worth(other) < self.worth(data):
                w += 2
                data = other
        if move == 0 and (self.words[w] ^ data) == key:
            move = data & MOVE_MASK
        data = value + VALUE_OFFSET
        data = move | (data << VALUE_SHIFT)
        data |= depth << DEPTH_SHIFT
        data |= bound << BOUND_SHIFT
        data |= self.generation << GENERATION_SHIFT
        self.words[w] = key ^ data
        self.words[w + 1] = data

    def worth(self, data: int) -> int:
        """How useful an entry is: its depth, less a penalty for its age."""
        if data == 0:
            return -1000
        age = (self.generation - (data >> GENERATION_SHIFT)) & (GENERATIONS - 1)
        return ((data >> DEPTH_SHIFT) & 255) - AGE_PENALTY * age

    def fullness(self) -> int:
        """Share of a sample of entries that this search wrote, in thousandths."""
        used = 0
        sample = min(SAMPLED_CLUSTERS, self.clusters)
        for cluster in range(sample):
            for word in range(2):
                data = self.words[cluster * CLUSTER_WORDS + 2 * word + 1]
                if data and data >> GENERATION_SHIFT == self.generation:
                    used += 1
        return used * 1000 // (2 * sample)
