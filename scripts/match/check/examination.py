"""Goes through the checks with one engine, and tells how each went."""

from collections import Counter
from collections.abc import Callable, Sequence

import anyio

from kibitz.protocol.client.errors import CannotOpen
from kibitz.protocol.client.link import own_tasks
from kibitz.scripts.match.check.catalogue import Check
from kibitz.scripts.match.check.outcomes import (
    CheckFailed,
    CheckResult,
    CheckSkipped,
    Status,
    Summary,
)
from kibitz.scripts.match.check.subject import Subject, Target
from kibitz.scripts.match.check.talk import Patience


async def examine(
    target: Target,
    checks: Sequence[Check],
    patience: Patience,
    report: Callable[[CheckResult], None],
) -> Summary:
    """Make checks, in their order, and report each as soon as it was made.

    No process of the engine is left behind, whatever happens. Raises `CannotOpen` when the
    engine cannot be started, and `NoSuchGame` when it has no choice of the target's game.
    """
    counts: Counter[Status] = Counter()
    async with own_tasks() as group:
        subject = Subject(target, patience, group)
        try:
            unmet = await _meet(subject)
            blamed = _blamed(checks, subject) if unmet else 0
            for check in checks:
                if unmet and check.number > (0 if subject.greeting is None else 2):
                    result = _not_made(check, unmet, check.number == blamed)
                else:
                    result = await _make(check, subject)
                counts[result.status] += 1
                report(result)
        finally:
            with anyio.CancelScope(shield=True):
                await subject.part()
    greeting = subject.greeting
    return Summary(
        engine="" if greeting is None else greeting.name,
        proto=subject.dialect,
        ok=counts[Status.OK],
        failed=counts[Status.FAILED],
        skipped=counts[Status.SKIPPED],
    )


async def _meet(subject: Subject) -> str:
    """Greet the engine; gives what went wrong, empty when nothing did."""
    try:
        await subject.meet()
    except CheckFailed as error:
        await subject.part(0.0)
        return str(error)
    return ""


def _blamed(checks: Sequence[Check], subject: Subject) -> int:
    """Give the number of the check that fails when no other can be made.

    That is the one about the greeting, or the one about being ready; or else the first.
    """
    number = 1 if subject.greeting is None else 3
    if any(check.number == number for check in checks):
        return number
    return next((check.number for check in checks if check.number > number), 0)


def _not_made(check: Check, unmet: str, is_blamed: bool) -> CheckResult:
    return CheckResult(
        number=check.number,
        title=check.title,
        status=Status.FAILED if is_blamed else Status.SKIPPED,
        why=unmet if is_blamed else "the engine did not get ready for it",
        seconds=0.0,
    )


async def _make(check: Check, subject: Subject) -> CheckResult:
    begun = anyio.current_time()
    status, why = Status.OK, ""
    try:
        await check.run(subject)
    except CheckSkipped as error:
        status, why = Status.SKIPPED, str(error)
    except (CheckFailed, CannotOpen) as error:
        status, why = Status.FAILED, str(error)
        # The next check gets an engine of its own.
        await subject.part(0.0)
    return CheckResult(
        number=check.number,
        title=check.title,
        status=status,
        why=why,
        seconds=round(anyio.current_time() - begun, 3),
    )
