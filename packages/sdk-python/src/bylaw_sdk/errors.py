"""What goes wrong, and what to do about it."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence


class AgentError(Exception):
    """What every error of this client is. Its class says what happened, ``next`` what to do. No credential is in any part of it.

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
        #: As the server has it, or one of this client's own: ``not_claimed``, ``unreachable``, ``answer_unreadable``, ``request_invalid``.
        self.code = code
        self.fix = fix
        #: The answer's; none where nothing was asked or nobody answered.
        self.status = status
        #: The problem details of the answer, as they came.
        self.problem = problem
        #: How long the server asks to wait, in seconds; ``None`` where it does not say.
        self.retry_after = retry_after

    def __str__(self) -> str:
        return self.message


class Unauthenticated(AgentError):
    """The credential is missing, unknown or not what was signed. Another one has to be given; asking again does not help."""


class NotPermitted(AgentError, PermissionError):
    """The credential is known and may not do this: an agent asked for what is an operator's."""


class TokenExpired(AgentError):
    """The phase token does not hold any more: its time is over, or the task has a newer one. Claim the same task again."""

    next = "claim"


class NotClaimed(AgentError, RuntimeError):
    """This agent does not hold the task: it never claimed it, its lease ended, or the task is over."""

    next = "claim"


class NoTaskReady(AgentError):
    """No task is free and ready now."""

    next = "wait"


class ToolForbidden(AgentError, PermissionError):
    """The rules deny this call. Another call, or another phase; the same call again gets the same answer."""

    next = "change"

    def __init__(self, message: str, *, tool: Optional[str] = None, **parts: Any) -> None:
        super().__init__(message, **parts)
        self.tool = tool


class ToolFailed(AgentError, ValueError):
    """The call was allowed and the tool failed: the arguments were wrong, or what it works on is not as expected."""

    next = "change"


class ApprovalPending(AgentError):
    """A person has to say yes first. ``wait_for_approval(approval_id)``, then make the same call again."""

    next = "wait"

    def __init__(self, message: str, *, approval_id: str, **parts: Any) -> None:
        super().__init__(message, **parts)
        self.approval_id = approval_id


class ApprovalRefused(AgentError, PermissionError):
    """A person said no, or nobody answered in time (``code``)."""

    next = "change"


class TransitionBlocked(AgentError, PermissionError):
    """The task stays in its phase."""

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
        #: The same as ``blockers``, each with ``code``, ``checks`` and what to do about it (``fix``).
        self.blocked_by = list(blocked_by)
        #: What the tests came to that the server ran for the request: ``exit_code``, ``counts``, ``failed``, ``output``.
        self.test_run = test_run
        #: Why, one sentence each; never empty.
        self.blockers = blockers
        #: Nothing is wrong, and somebody else has to act: a person who approves, or reviewers.
        self.pending = pending
        self.next = "wait" if pending else "resolve"


class RequestInvalid(AgentError, ValueError):
    """The request is wrong as it is: a field that is missing or unknown, a transition that there is not, a body that is too large."""

    next = "change"


class NotFound(AgentError, LookupError):
    """What was asked about is not there."""

    next = "change"


class Conflict(AgentError):
    """It contradicts what is: another request had this idempotency key, or somebody else was first. Look at the state, then decide."""

    next = "resolve"


class RateLimited(AgentError):
    """Too many requests, for longer than this client retries."""

    next = "wait"


class Unavailable(AgentError):
    """Nobody answered, or the server could not: the network, a restart, a time-out. What was asked may or may not have happened; asked again
    with the same request id it happens once."""

    next = "wait"


class ServerFault(AgentError):
    """The server answered with a fault of its own, or with what nobody can read."""
