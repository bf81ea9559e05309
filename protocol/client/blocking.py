"""The client without `async`: the same classes, driven from ordinary code.

    with SimpleEngine.open_process("scripts/kibitz") as engine:
        result = engine.play(Setup("jarmo"), Limit(depth=8))

Nothing is written twice: `blocking` makes a method of an asynchronous one, and `opening` one
that opens of one that gives a context; both keep arguments, types and texts. An event loop
in a thread of its own runs the asynchronous object. An exception that interrupts a call,
such as Ctrl-C, cancels it there.
"""

import atexit
from collections.abc import Awaitable, Callable, Iterator
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    ExitStack,
    contextmanager,
)
from functools import partial, wraps
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeVar, cast

from anyio.from_thread import BlockingPortal, start_blocking_portal

from kibitz.protocol.client.errors import EngineError

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")
FrontT = TypeVar("FrontT", bound="Front[Any]")


class Front(Generic[T]):
    """The near side of an asynchronous object: calls go over, results come back."""

    def __init__(self, portal: BlockingPortal, target: T) -> None:
        """Drive an object that lives in the portal's event loop."""
        self._portal = portal
        self._target = target

    def _run(self, call: Callable[[], Awaitable[R]]) -> R:
        """Run a call in the event loop, and wait for its result."""
        try:
            future = self._portal.start_task_soon(call)
        except RuntimeError:
            raise EngineError("it is closed") from None
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def _read(self, call: Callable[[], R]) -> R:
        """Make a call that does not wait where nothing changes meanwhile."""

        async def read() -> R:
            return call()

        return self._run(read)


class Opened(Front[T]):
    """A front with an event loop of its own, which ends with it."""

    def __init__(self, portal: BlockingPortal, target: T) -> None:
        """Drive an object; `_keep` takes what has to be closed with it."""
        super().__init__(portal, target)
        self._stack = ExitStack()

    def _keep(self, stack: ExitStack) -> None:
        self._stack = stack
        # Who forgets to close it should not leave a process behind.
        atexit.register(self._end)

    def _end(self) -> None:
        """Close what was opened, and end the event loop; once is enough."""
        atexit.unregister(self._end)
        self._stack.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._end()


OpenedT = TypeVar("OpenedT", bound=Opened[Any])


def blocking(
    method: Callable[Concatenate[Any, P], Awaitable[R]],
) -> Callable[Concatenate[Any, P], R]:
    """Make a method that waits of one that is awaited."""

    @wraps(method)
    def call(self: Front[Any], /, *args: P.args, **kwargs: P.kwargs) -> R:
        return self._run(partial(method, self._target, *args, **kwargs))

    return call


def passing(method: Callable[Concatenate[Any, P], R]) -> Callable[Concatenate[Any, P], R]:
    """Make a method of one that does not wait, but belongs into the event loop."""

    @wraps(method)
    def call(self: Front[Any], /, *args: P.args, **kwargs: P.kwargs) -> R:
        return self._read(partial(method, self._target, *args, **kwargs))

    return call


def wrapping(
    method: Callable[Concatenate[Any, P], Awaitable[Any]], front: Callable[[], type[FrontT]]
) -> Callable[Concatenate[Any, P], FrontT]:
    """Make a method that waits, and gives a front, of one that is awaited and gives an object.

    `front` names the class of what comes out of it.
    """

    @wraps(method)
    def call(self: Front[Any], /, *args: P.args, **kwargs: P.kwargs) -> FrontT:
        target = self._run(partial(method, self._target, *args, **kwargs))
        return front()(self._portal, target)

    return call


class Mirror(Generic[R]):
    """A property that is read where it lives."""

    def __init__(self, source: Callable[[Any], R]) -> None:
        """Mirror a property, taken from its class."""
        self._source = cast("property", source)
        self.__doc__ = self._source.__doc__

    def __get__(self, front: Front[Any], owner: type[Any]) -> R:
        assert self._source.fget is not None
        read: Callable[[], R] = partial(self._source.fget, front._target)
        return front._read(read)


def entering(
    method: Callable[Concatenate[Any, P], AbstractAsyncContextManager[T]],
    front: Callable[[], type[FrontT]],
) -> Callable[Concatenate[Any, P], AbstractContextManager[FrontT]]:
    """Make a method that gives a context of one that gives an asynchronous one.

    `front` names the class of what comes out of it.
    """

    @wraps(method)
    @contextmanager
    def call(self: Front[Any], /, *args: P.args, **kwargs: P.kwargs) -> Iterator[FrontT]:
        context = method(self._target, *args, **kwargs)
        with self._portal.wrap_async_context_manager(context) as opened:
            yield front()(self._portal, opened)

    return call


def opening(
    method: Callable[P, AbstractAsyncContextManager[T]],
    front: Callable[[], type[OpenedT]],
) -> Callable[P, OpenedT]:
    """Make a function that opens something here of one that opens it in an event loop.

    What it gives is open already, and a context manager that closes it.
    """

    @wraps(method)
    def call(*args: P.args, **kwargs: P.kwargs) -> OpenedT:
        with ExitStack() as stack:
            portal = stack.enter_context(start_blocking_portal(name="kibitz client"))
            context = portal.wrap_async_context_manager(method(*args, **kwargs))
            opened = front()(portal, stack.enter_context(context))
            opened._keep(stack.pop_all())
        return opened

    return call
