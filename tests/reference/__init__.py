"""Second implementations of the games, written from the rule pages alone.

They share no code with `kibitz.engine`: sets and dictionaries instead of bits, slow and
plain, so that the same mistake is unlikely to be made twice. Tests play them side by side
with the engine, and the perft files were computed with them.
"""
