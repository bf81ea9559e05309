"""A server for many clients: who may have how much of the machine, and the connections.

`server` listens and owns all tasks, a `connection` carries one conversation, and its `share`
is the client's part of the machine. `machine` runs the jobs as the `scheduler` says, `pump`
gives clients turns in the loop's thread, and `shelf` keeps the hash tables.
"""
