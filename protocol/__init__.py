"""How programs and people talk to kibitz: commands, replies, dialects, sessions, transports.

`commands` and `replies` are the typed words, `table` lists the commands, `ugi` turns lines
into the one and the other into lines. `session` is one engine, `hub` the engines of one
connection; neither knows threads or an event loop, which are `stdio`'s part. What they stand
on is in `service`, and `dialects` chooses among the conversations that there are.
"""
