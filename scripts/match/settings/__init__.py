"""What a match is to be, from a file or from arguments, and all that can be wrong with it."""
