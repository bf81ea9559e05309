"""What people start: the program `kibitz`, and tools for those who work on it."""
