"""The task that an agent holds."""

from __future__ import annotations

import threading
from typing import Any, Mapping, Optional, Tuple

from .errors import NotClaimed, TokenExpired
from .transport import Ask, Transport, new_key


class Session:
    """The task and its token, and the requests with them. Thread-safe."""

    __slots__ = ("_lock", "_token", "_transport", "_turn", "phase", "prompt", "task_id")

    def __init__(self, transport: Transport, token: Optional[str], task_id: Optional[str]) -> None:
        self._transport = transport
        self._lock = threading.Lock()
        self._token = token
        self._turn = 0
        self.task_id = task_id
        self.phase: Optional[str] = None
        self.prompt: Optional[str] = None

    @property
    def turn(self) -> int:
        """The number of tokens received so far. A request remembers it to know later whether its token was replaced meanwhile."""
        return self._turn

    def bearer(self, before: str) -> str:
        """The header with the phase token."""
        token = self._token
        if token is None:
            raise not_claimed(before)
        return f"Bearer {token}"

    def renew(self, token: Optional[str]) -> None:
        """Stores the token of a claim or a transition, which ends every other."""
        with self._lock:
            self._take(token)

    def refresh(self, token: Optional[str], since: int) -> None:
        """Stores the token of a heartbeat, unless another came since the request. Then this one may be of the previous phase."""
        with self._lock:
            if since == self._turn:
                self._take(token)

    def _take(self, token: Optional[str]) -> None:
        if token is not None and token != self._token:
            self._token = token
            self._turn += 1

    def enter(self, answer: Mapping[str, Any]) -> None:
        """Stores the phase after a claim or a transition."""
        self.phase = answer["phase"]
        self.prompt = answer.get("prompt")

    def end(self) -> None:
        """Forgets the task and its token."""
        with self._lock:
            self._token = None
            self._turn += 1
            self.task_id = None
            self.phase = None
            self.prompt = None

    def post(self, before: str, path: str, body: Mapping[str, Any], **asked: Any) -> Tuple[int, Any]:
        """Posts a request about the task."""
        if self.task_id is None:
            raise not_claimed(before)
        return self.send(before, path, {"task_id": self.task_id, **body}, **asked)

    def send(self, before: str, path: str, body: Mapping[str, Any], **asked: Any) -> Tuple[int, Any]:
        """Posts a request without a task id, because the token identifies the task."""
        return self._ask("POST", path, before, body=body, **asked)

    def get(self, before: str, path: str, **asked: Any) -> Any:
        """Sends a GET request."""
        return self._ask("GET", path, before, **asked)[1]

    def _ask(self, method: str, path: str, before: str, **asked: Any) -> Tuple[int, Any]:
        turn = self._turn
        # One key for all attempts, because an attempt without an answer may have taken effect.
        asked["request_id"] = asked.get("request_id") or new_key()
        request = Ask(method, path, lambda: self.bearer(before), **asked)
        try:
            return self._transport.ask(request)
        except TokenExpired:
            # If the token was replaced while the request was on its way, the request is repeated.
            if turn == self._turn:
                raise
            return self._transport.ask(request)


def not_claimed(before: str) -> NotClaimed:
    """The error of a request that needs a claim."""
    return NotClaimed(
        f"Must claim task before {before}",
        code="not_claimed",
        fix="Call `claim_task` first",
    )
