"""The playing itself: engines, clocks, referees, adjudication, one game, a whole match."""
