"""`kibitz check`: whether an engine keeps to UGI or UCI, check by check.

`catalogue` has the numbered list, `examination` goes through it. The checks are about lines
as they come, so they talk to the engine by `talk`, which has no opinion on what a line means.
"""
