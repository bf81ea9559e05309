"""Errors as answers of the JSON-lines dialect, whatever they come from."""

from kibitz.protocol.faults import ErrorCode, Refusal, describe_bug
from kibitz.protocol.jobs import NO_MEMORY, is_lack_of_memory
from kibitz.protocol.json.messages import ErrorAnswer
from kibitz.protocol.json.request_faults import RequestRefusal


def refused(request_id: str | None, refusal: Refusal) -> ErrorAnswer:
    """Say why a request is refused."""
    field, index = None, None
    if isinstance(refusal, RequestRefusal):
        field, index = refusal.field, refusal.index
    return ErrorAnswer(
        id=request_id,
        seq=0,
        code=refusal.code,
        message=refusal.text,
        field=field,
        index=index,
    )


def failed(request_id: str | None, error: BaseException) -> ErrorAnswer:
    """Say that something went wrong in our own code."""
    text = describe_bug(error)
    return ErrorAnswer(id=request_id, seq=0, code=ErrorCode.INTERNAL, message=text)


def wrong(request_id: str, error: BaseException) -> ErrorAnswer:
    """Say why the work for a request came to nothing."""
    if isinstance(error, Refusal):
        return refused(request_id, error)
    if is_lack_of_memory(error):
        return ErrorAnswer(id=request_id, seq=0, code=ErrorCode.OVER_LIMIT, message=NO_MEMORY)
    return failed(request_id, error)
