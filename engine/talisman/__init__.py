"""Talisman: twelve pieces on a hexagon of 19 points and 24 triangles."""
