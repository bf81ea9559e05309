"""What is kept of games: records, game files, and the folder that a match can go on from."""
