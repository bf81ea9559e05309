"""Bit operations for the hot core.

These are the Python twins; `bits.pxd` gives compiled callers the compiler's builtins of
the same names, so a compiled module that imports *and* cimports this one gets those.
"""


def popcount(bits: int) -> int:
    """Number of set bits of a non-negative number below 2**64."""
    return bits.bit_count()


def lowest(bits: int) -> int:
    """Index of the lowest set bit; `bits` must not be 0."""
    return (bits & -bits).bit_length() - 1
