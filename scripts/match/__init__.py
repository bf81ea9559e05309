"""Matches between engines: records of games, openings, schedules, and what counts them."""
