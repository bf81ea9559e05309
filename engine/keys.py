"""Random numbers for position keys (Zobrist hashing).

Keys have 62 bits, so that they are the same numbers in compiled modules (unsigned
64-bit arithmetic) and uncompiled ones (Python integers). The generator is SplitMix64
(Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
"""

KEY_BITS = 62
KEY_MASK = (1 << KEY_BITS) - 1

_WORD = (1 << 64) - 1


class SplitMix64:
    """The SplitMix64 generator; `state` is any number from 0 to 2**64 - 1."""

    def __init__(self, state: int) -> None:
        self.state = state

    def draw(self) -> int:
        """Give the next number, 0 to 2**64 - 1."""
        self.state = (self.state + 0x9E3779B97F4A7C15) & _WORD
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _WORD
        return z ^ (z >> 31)


def random_keys(seed: int, count: int) -> list[int]:
    """Give `count` key numbers, always the same ones for a seed."""
    generator = SplitMix64(seed)
    return [generator.draw() & KEY_MASK for _ in range(count)]
