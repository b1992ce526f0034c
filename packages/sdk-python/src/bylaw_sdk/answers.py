"""Types of the service's answers. Each object may have more fields."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, TypedDict


class Decision(TypedDict):
    """A decision with its reason."""

    effect: str
    code: str
    reason: str


class Task(TypedDict):
    """A task as its agent sees it."""

    id: str
    agent_id: str
    title: Optional[str]
    capabilities: List[str]
    dependencies: List[str]
    assigned_phase: Optional[str]
    fence: int
    lease_until: str


class Contract(TypedDict):
    """The contract that the service enforces."""

    name: str
    version: str
    digest: str


class PhaseGuide(TypedDict):
    """The guide to a phase. ``prompt`` has all of it in prose, for a model."""

    required_artifacts: List[Dict[str, Any]]
    next_phases: List[Dict[str, Any]]
    prompt: str


class Claim(PhaseGuide):
    """A claimed task. The phase token stays inside the client."""

    task: Task
    phase: Optional[str]
    allowed_tools: List[str]
    token_expires_at: str
    contract: Contract


class PhaseEntered(PhaseGuide):
    """A granted transition, with the sequence of its event."""

    phase: Optional[str]
    allowed_tools: List[str]
    notes: List[str]
    warnings: List[str]
    sequence: Optional[int]
    replayed: bool
    directives: List[Dict[str, Any]]
    token_expires_at: Optional[str]
    decision: Decision


class ToolAnswer(TypedDict):
    """The result of an executed tool call."""

    id: str
    result: Any
    warnings: List[str]
    decision: Decision


class CheckAnswer(TypedDict):
    """The decision about a call that was not executed."""

    allowed: bool
    effect: str
    applied: str
    code: str
    reason: str
    warnings: List[str]


class Snapshot(TypedDict, total=False):
    """The state of the task, as far as the contract shows it to agents; one page of it."""

    task_id: str
    task_dependencies: List[str]
    completed_tasks: List[str]
    current_phase: Optional[str]
    blockers: List[Dict[str, str]]
    prd_state: Optional[Dict[str, Any]]
    next: Optional[str]


class Conclusion(TypedDict, total=False):
    """The outcome of an accepted response. ``kind`` is answer, vote, or ignored if newer answers arrived first."""

    kind: str
    label: str
    reason: str


class ShownAnswer(TypedDict):
    """An answer of an agent. Its label is alias and revision: ``agent2.1``."""

    alias: str
    label: str
    revision: int
    content: str


class ShownAnswers(TypedDict):
    """The current answers of others, the newest first, and the labels of those that are new to the agent."""

    answers: List[ShownAnswer]
    unseen: List[str]


class ConsensusState(TypedDict, total=False):
    """The state of a consensus, as far as its caller may see it. ``you`` is only for an agent: what it may do now."""

    open: bool
    agents: List[Dict[str, Any]]
    tally: Dict[str, int]
    winner: Optional[ShownAnswer]
    you: Dict[str, Any]


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
    """A question to a person: ``state`` is open, approved, rejected, used, superseded, settled or expired."""

    id: str
    kind: str
    state: str
    agent: Optional[str]
    task: Optional[str]
