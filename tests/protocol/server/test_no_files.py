"""Nothing that comes over the network names a file, starts a process or makes a connection.

A server runs under an audit hook of Python's. It gets every command and every request, with
paths, addresses and commands of a shell wherever there is something to say.
"""

import socket
from pathlib import Path
from typing import get_args

import pytest

from kibitz.protocol.dialects import ErrorCode  # noqa: F401
from kibitz.protocol.json.messages import AnyRequest
from kibitz.protocol.options import OPTIONS
from kibitz.protocol.table import TABLE
