"""Converts error responses to errors."""

from __future__ import annotations

import re
from typing import Any, Callable, Dict, Optional

from . import errors

# Codes of the plugins tokens and tasks. All others are classified by status.
_BY_CODE = (
    (re.compile(r"token_(expired|superseded|other_phase|other_session)"), errors.TokenExpired),
    (
        re.compile(r"token_other_task|task_(unknown|blocked|waiting|not_claimed|other_agent|fence_stale|lease_over|escalated|over)|phase_task_completed"),
        errors.NotClaimed,
    ),
    (
        re.compile(r"token_(missing|malformed|forged|key_unknown|not_yet_valid|not_issued|undated|other_run|other_agent|other_contract)"),
        errors.Unauthenticated,
    ),
    (re.compile(r"approval_(expired|refused|rejected|unavailable)"), errors.ApprovalRefused),
)
# Answers to a claim after which the task may become available.
_NOT_READY = re.compile(r"task_(none_ready|unknown|blocked|waiting|not_claimed|other_agent|escalated)")
_BY_STATUS = {
    401: errors.Unauthenticated,
    404: errors.NotFound,
    409: errors.Conflict,
    429: errors.RateLimited,
    408: errors.Unavailable,
    502: errors.Unavailable,
    503: errors.Unavailable,
    504: errors.Unavailable,
}


def error_of(
    status: int,
    body: Any,
    *,
    retry_after: Optional[float],
    tool: Optional[str],
    mask: Callable[[str], str],
) -> errors.AgentError:
    """Returns the error for an error response. The code determines its class, or else the status."""
    problem = _problem_of(status, body, mask)
    code = problem["code"]
    fix = problem.get("fix")
    parts: Dict[str, Any] = {
        "code": code,
        "fix": fix if isinstance(fix, str) else None,
        "status": status,
        "problem": problem,
        "retry_after": retry_after,
    }
    detail = problem["detail"]
    if status == 404 and _NOT_READY.fullmatch(code):
        return errors.NoTaskReady(detail, **parts)
    for pattern, kind in _BY_CODE:
        if pattern.fullmatch(code):
            return kind(detail, **parts)
    # If the answer has a decision that allowed the call, the tool itself failed.
    if status == 400 and tool is not None and isinstance(problem.get("decision"), dict) and code != "invalid_call":
        return errors.ToolFailed(detail, **parts)
    if status == 403:
        if tool is None or code.startswith("BYLAW_CREDENTIAL_"):
            return errors.NotPermitted(detail, **parts)
        return errors.ToolForbidden(detail, tool=tool, **parts)
    other = errors.RequestInvalid if 400 <= status < 500 else errors.ServerFault
    return _BY_STATUS.get(status, other)(detail, **parts)


def _problem_of(status: int, body: Any, mask: Callable[[str], str]) -> Dict[str, Any]:
    # A proxy in between answers with its own pages. Then only the status is known.
    told: Dict[str, Any] = _masked(body, mask) if isinstance(body, dict) else {}

    def text(name: str, otherwise: str) -> str:
        value = told.get(name)
        return value if isinstance(value, str) else otherwise

    title = text("title", "")
    detail = text("detail", title or f"The service answered with status {status}")
    return {**told, "title": title, "status": status, "detail": detail, "code": text("code", f"http_{status}")}


def _masked(value: Any, mask: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, list):
        return [_masked(one, mask) for one in value]
    if isinstance(value, dict):
        return {key: _masked(one, mask) for key, one in value.items()}
    return value
