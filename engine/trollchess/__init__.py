"""Troll chess: a race of two Wanderers over a shuffled board, with pieces to help and to stop."""
