"""What the service answers, as types. The rest of each object is as the service has it."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, TypedDict


class Decision(TypedDict):
    """What was decided, and why."""

    effect: str
    code: str
    reason: str


class Task(TypedDict):
    """A task as its agent sees it."""

    id: str
    agent_id: str
    capabilities: List[str]
    assigned_phase: str
    fence: int
    lease_until: str


class Contract(TypedDict):
    """The contract that the service enforces."""

    name: str
    version: str
    digest: str


class Claim(TypedDict):
    """A task that was claimed. The phase token stays inside the client."""

    task: Task
    phase: str
    allowed_tools: List[str]
    contract: Contract


class Entered(TypedDict):
    """A transition that was let through, and the number of the event that says so."""

    phase: str
    decision: Decision
    sequence: int


class ToolAnswer(TypedDict):
    """What came of a tool call that was executed."""

    id: str
    result: Any
    decision: Decision


class Checked(TypedDict):
    """What was decided about a call that nobody executed."""

    allowed: bool
    effect: str
    code: str
    reason: str


class Snapshot(TypedDict):
    """Where the run stands."""

    task_dependencies: List[Any]
    completed_tasks: List[Any]
    current_phase: Optional[str]
    blockers: List[Any]


class LogEvent(TypedDict):
    """One event of the log."""

    timestamp: str
    sequence: int
    session_id: str
    event_type: str
    agent_id: Optional[str]
    task_id: Optional[str]
    details: Dict[str, Any]


class Approval(TypedDict):
    """A question to a person: ``state`` is open, approved, rejected, used, superseded or settled."""

    id: str
    state: str
