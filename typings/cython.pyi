from Cython.Shadow import *  # noqa: F403
