"""Events as they happen, over a stream that reconnects by itself."""

from __future__ import annotations

import http.client
import json
from typing import Any, Callable, Dict, Iterator, Optional, Tuple

from .answers import LogEvent
from .errors import AgentError, TokenExpired
from .transport import Ask, Transport

# The longest line that is read, in bytes, so that an endless line cannot fill the memory.
_LONGEST = 8 * 1024 * 1024
# The longest pause that the server may ask for.
_LONGEST_PAUSE = 60.0
# Longer than the heartbeat of the service.
_SILENCE = 90.0


def follow(transport: Transport, authorization: Callable[[], str], after: int) -> Iterator[LogEvent]:
    """Yields each event once and in order, without an end. Raises errors that a retry cannot fix."""
    last = after
    failures = 0
    while True:
        credential = authorization()
        asked: Optional[float] = None
        headers = {"Accept": "text/event-stream", "Last-Event-ID": str(last)}
        try:
            with transport.open(Ask("GET", "/events", authorization, headers=headers, timeout=_SILENCE)) as stream:
                for passed, event in _read(stream):
                    failures = 0
                    # Events of other tasks advance the position too.
                    if event is None:
                        last = max(last, passed)
                    elif event["sequence"] > last:
                        last = event["sequence"]
                        yield event
        except AgentError as error:
            # A token that was replaced meanwhile is not an error of the stream.
            replaced = isinstance(error, TokenExpired) and authorization() != credential
            if not replaced and error.status not in (408, 429, 502, 503, 504):
                raise
            asked = min(error.retry_after or 0.0, _LONGEST_PAUSE)
        except (OSError, http.client.HTTPException):
            pass
        failures += 1
        transport.sleep(transport.pause(failures, asked))


def _read(stream: Any) -> Iterator[Tuple[int, Optional[LogEvent]]]:
    fields: Dict[str, str] = {}
    while True:
        raw: bytes = stream.readline(_LONGEST)
        # An event that is cut off is dropped.
        if not raw.endswith(b"\n"):
            return
        line = raw.rstrip(b"\r\n").decode("utf-8")
        if line == "":
            passed = fields.get("id", "")
            if "data" in fields or passed:
                yield int(passed) if passed.isdecimal() else 0, json.loads(fields["data"]) if "data" in fields else None
            fields = {}
            continue
        name, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        fields[name] = f"{fields[name]}\n{value}" if name == "data" and "data" in fields else value
