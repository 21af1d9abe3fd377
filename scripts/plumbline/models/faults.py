"""What an unusable response means: try again, give this request up, or stop the whole job."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from plumbline.models.requests import Failure

_TRIED_AGAIN = frozenset({408, 409, 429})
_STOPS = {
    401: "The key is missing or wrong",
    403: "The key may not use this model",
    404: "Check `model` and `base_url`: the server does not know one of them",
    501: "The server cannot do this with the model that it serves",
}
_TOO_LONG = re.compile(
    r"context_length_exceeded|exceed_context_size_error|maximum context length|available context size"
    r"|context window|prompt is too long|(?:longer|larger) than the (?:maximum|model)|maximum model length"
    r"|exceeds the maximum number of tokens|maximum number of (?:input )?tokens",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class TryAgain:
    """The request may succeed later; `wait_s` is how long the server told us to wait, if it did."""

    detail: str
    wait_s: float | None = None


@dataclass(frozen=True, slots=True)
class Stop:
    """Nothing that this job asks can succeed."""

    detail: str


def read_fault(status: int, headers: Mapping[str, str], body: bytes) -> TryAgain | Failure | Stop:
    """Say what a response without an answer means.

    Parameters
    ----------
    status
        HTTP status; 200 if the body held no choice.
    headers
        Names in lower case, or a mapping that ignores case.
    body
        The body as it came.

    Returns
    -------
    TryAgain, Failure or Stop
        408, 409, 429, 5xx and odd 200 replies are tried again; 401, 403, 404, 501 and a spent quota stop
        the job; other 4xx fail this request alone, as an overflow if the prompt was too long.
    """
    error = _error_of(body)
    told = f"HTTP {status}: {error['message']}" if error["message"] else f"HTTP {status}"
    if status == 200:
        kind = headers.get("content-type", "without a content type")
        told = f"the reply (HTTP 200, {kind}) holds no answer: {error['message'] or 'an empty body'}"
    if "insufficient_quota" in (error["code"], error["type"]):
        return Stop(f"{told}. The quota is spent (insufficient_quota)")
    if (400 <= status < 500 or status == 200) and _is_overflow(error):
        return Failure("overflow", told)
    if status in _STOPS:
        return Stop(f"{told}. {_STOPS[status]}")
    if status == 200 or status in _TRIED_AGAIN or status >= 500:
        return TryAgain(told, retry_after(headers))
    return Failure("rejected", told)


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Read how long to wait, in seconds, from Retry-After (seconds or a date) or retry-after-ms."""
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    told = headers.get("retry-after")
    seconds = _number(told)
    if seconds is not None or not told:
        return seconds
    try:
        moment = parsedate_to_datetime(told)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - (now or datetime.now(UTC))).total_seconds())


def _number(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None


def _is_overflow(error: dict[str, str]) -> bool:
    return any(_TOO_LONG.search(error[part]) for part in ("code", "type", "message"))


def _error_of(body: bytes) -> dict[str, str]:
    """Find message, code and type of an error body; other bodies are their own message, cut short."""
    text = body.decode("utf-8", "replace").strip()
    try:
        data: Any = json.loads(text)
    except ValueError:
        data = None
    if isinstance(data, list) and data:
        data = data[0]
    found = data.get("error", data) if isinstance(data, dict) else None
    if isinstance(found, str):
        found = {"message": found}
    if not isinstance(found, dict):
        found = {}
    message = found.get("message") or found.get("detail") or text
    return {
        "message": " ".join(str(message).split())[:500],
        "code": str(found.get("code") or ""),
        "type": str(found.get("type") or ""),
    }
