"""Krepost ("Fortress"): squads of stones surround each other and break into fortresses."""
