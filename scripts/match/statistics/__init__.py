"""What games come to: counts, Elo, tests, ratings, standings. It knows no engine and no clock."""
