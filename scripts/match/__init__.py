"""Matches between engines: what they count, how they are recorded and how they are run."""
