"""Errors of the client, each with what to do about it."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence


class AgentError(Exception):
    """The base of all errors of this client. The class says what happened, and ``next`` what to do. No part of it contains a credential.

    ``next`` is ``claim``: claim the task again, or another one. ``change``: the request is wrong as it is. ``resolve``: what blocks has to
    be resolved first. ``wait``: ask again later. ``stop``: nothing that an agent can do helps, a person has to.
    """

    next: str = "stop"

    def __init__(
        self,
        message: str,
        *,
        code: str,
        fix: Optional[str] = None,
        status: Optional[int] = None,
        problem: Optional[Dict[str, Any]] = None,
        retry_after: Optional[float] = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        #: The server's code, or one of this client: ``not_claimed``, ``unreachable``, ``answer_unreadable``, ``request_invalid``.
        self.code = code
        self.fix = fix
        #: The HTTP status; ``None`` if no request was sent or no answer came.
        self.status = status
        #: The problem details of the answer, unchanged.
        self.problem = problem
        #: How long the server asks to wait, in seconds; ``None`` if it does not say.
        self.retry_after = retry_after

    def __str__(self) -> str:
        return self.message


class Unauthenticated(AgentError):
    """The credential is missing, unknown or forged. Asking again does not help; another credential is needed."""


class NotPermitted(AgentError, PermissionError):
    """The credential is known but may not do this, such as an agent that asks for something only operators may do."""


class TokenExpired(AgentError):
    """The phase token is no longer valid: it has expired, or the task has a newer one. Claim the same task again."""

    next = "claim"


class NotClaimed(AgentError, RuntimeError):
    """This agent does not hold the task: it never claimed it, its lease has ended, or the task is over."""

    next = "claim"


class NoTaskReady(AgentError):
    """No task can be claimed at the moment."""

    next = "wait"


class ToolForbidden(AgentError, PermissionError):
    """The rules deny this call. Make another call, or change the phase: the same call gets the same answer."""

    next = "change"

    def __init__(self, message: str, *, tool: Optional[str] = None, **parts: Any) -> None:
        super().__init__(message, **parts)
        self.tool = tool


class ToolFailed(AgentError, ValueError):
    """The call was allowed but the tool failed: the arguments were wrong, or the files were not as expected."""

    next = "change"


class ApprovalPending(AgentError):
    """A person must approve first. Call ``wait_for_approval(approval_id)``, then make the same call again."""

    next = "wait"

    def __init__(self, message: str, *, approval_id: str, **parts: Any) -> None:
        super().__init__(message, **parts)
        self.approval_id = approval_id


class ApprovalRefused(AgentError, PermissionError):
    """A person said no, or nobody answered in time (see ``code``)."""

    next = "change"


class TransitionBlocked(AgentError, PermissionError):
    """The transition was refused, and the task stays in its phase."""

    def __init__(
        self,
        message: str,
        *,
        blockers: List[str],
        pending: bool,
        blocked_by: Sequence[Dict[str, Any]] = (),
        test_run: Optional[Dict[str, Any]] = None,
        **parts: Any,
    ) -> None:
        super().__init__(message, **parts)
        #: The same as ``blockers``, each with ``code``, ``checks`` and ``fix``.
        self.blocked_by = list(blocked_by)
        #: The result of the tests that the server ran for the request: ``exit_code``, ``counts``, ``failed``, ``output``.
        self.test_run = test_run
        #: The reasons, one sentence each; never empty.
        self.blockers = blockers
        #: Whether nothing is wrong and only others must act: a person who approves, or reviewers.
        self.pending = pending
        self.next = "wait" if pending else "resolve"


class RequestInvalid(AgentError, ValueError):
    """The request is wrong: a missing or unknown field, an unknown transition, or a body that is too large."""

    next = "change"


class NotFound(AgentError, LookupError):
    """The requested object does not exist."""

    next = "change"


class Conflict(AgentError):
    """The request conflicts with the current state: another request had this idempotency key, or another caller was first.

    Check the state, then decide.
    """

    next = "resolve"


class RateLimited(AgentError):
    """Too many requests, for longer than this client retries."""

    next = "wait"


class Unavailable(AgentError):
    """No usable answer came: the network failed, the server restarted, or a time limit passed. The request may or may not have taken effect.
    Repeated with the same request id, it takes effect once."""

    next = "wait"


class ServerFault(AgentError):
    """The server failed, or its answer is unreadable."""
