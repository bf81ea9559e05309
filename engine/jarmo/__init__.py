"""Jarmo and Jasir: five archers a side on 25 holes that irregular lines join."""
