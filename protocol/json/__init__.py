"""JSON lines, for programs and for analysis on other machines: sans-IO.

`messages` are the requests and answers, `codec` turns lines into the one and the other into
lines, and a `desk` answers the requests of one client, many at a time.
"""
