"""Who plays whom from where: schedules, openings, and the plan of a match."""
