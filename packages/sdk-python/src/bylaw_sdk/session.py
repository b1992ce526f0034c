"""What an agent holds now."""

from __future__ import annotations

import threading
from typing import Any, Mapping, Optional, Tuple

from .errors import NotClaimed, TokenExpired
from .transport import Ask, Transport, new_key


class Session:
    """The task and its token, and what is asked for with them. Safe to use from many threads."""

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
        """Counts the tokens that came: a request remembers it, to know later whether its own was overtaken meanwhile."""
        return self._turn

    def bearer(self, before: str) -> str:
        """The header with the phase token."""
        token = self._token
        if token is None:
            raise not_claimed(before)
        return f"Bearer {token}"

    def renew(self, token: Optional[str]) -> None:
        """Takes the token of a claim or a transition: it ended every other."""
        with self._lock:
            self._take(token)

    def refresh(self, token: Optional[str], since: int) -> None:
        """Takes the token that came with a sign of life, unless another came since it was asked for: then this one may be of the phase before."""
        with self._lock:
            if since == self._turn:
                self._take(token)

    def _take(self, token: Optional[str]) -> None:
        if token is not None and token != self._token:
            self._token = token
            self._turn += 1

    def enter(self, answer: Mapping[str, Any]) -> None:
        """Takes the phase that a claim or a transition has led to."""
        self.phase = answer["phase"]
        self.prompt = answer.get("prompt")

    def end(self) -> None:
        """Nothing is held any more."""
        with self._lock:
            self._token = None
            self._turn += 1
            self.task_id = None
            self.phase = None
            self.prompt = None

    def post(self, before: str, path: str, body: Mapping[str, Any], **asked: Any) -> Tuple[int, Any]:
        """Asks for something to be done for the task."""
        if self.task_id is None:
            raise not_claimed(before)
        return self.send(before, path, {"task_id": self.task_id, **body}, **asked)

    def send(self, before: str, path: str, body: Mapping[str, Any], **asked: Any) -> Tuple[int, Any]:
        """Asks for something that names no task: it is that of the token."""
        return self._ask("POST", path, before, body=body, **asked)

    def get(self, before: str, path: str, **asked: Any) -> Any:
        """Asks how things are."""
        return self._ask("GET", path, before, **asked)[1]

    def _ask(self, method: str, path: str, before: str, **asked: Any) -> Tuple[int, Any]:
        turn = self._turn
        # One key for whatever is made of this request: an attempt that nobody heard of may have done what it asks for.
        asked["request_id"] = asked.get("request_id") or new_key()
        request = Ask(method, path, lambda: self.bearer(before), **asked)
        try:
            return self._transport.ask(request)
        except TokenExpired:
            # A token that was replaced while the request was on its way is no fault of the request.
            if turn == self._turn:
                raise
            return self._transport.ask(request)


def not_claimed(before: str) -> NotClaimed:
    """The error of what comes before a claim."""
    return NotClaimed(
        f"Must claim task before {before}: unexpected {before} without a task, expected a claim",
        code="not_claimed",
        fix="call claim_task first",
    )
