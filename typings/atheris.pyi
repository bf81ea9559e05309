from collections.abc import Callable
from contextlib import AbstractContextManager

def instrument_imports(include: list[str] = ...) -> AbstractContextManager[None]: ...
def Setup(args: list[str], test_one_input: Callable[[bytes], None]) -> list[str]: ...  # noqa: N802
def Fuzz() -> None: ...  # noqa: N802
