"""An agent under a contract."""

from __future__ import annotations

import os
import re
import ssl
import threading
import time
import urllib.parse
from datetime import datetime, timezone
from types import TracebackType
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Type, cast

from .answers import Approval, CheckAnswer, Claim, PhaseEntered, LogEvent, Snapshot, ToolAnswer
from .consensus import AgentConsensus
from .errors import (
    AgentError,
    ApprovalPending,
    ApprovalRefused,
    NoTaskReady,
    RateLimited,
    RequestInvalid,
    ServerFault,
    TokenExpired,
    TransitionBlocked,
    Unavailable,
)
from .events import follow
from .session import Session
from .transport import Ask, Retry, Transport, credential_of

# The longest that a server is asked to hold a request open, in seconds, because a proxy in between may cut longer ones.
_HOLD = 25.0
# How long an answer with a newer token may take, in seconds.
_SOON = 1.0
# The default time limit of a tool in seconds. Tests may take long.
_TOOL = 900.0
# The code that plugin-gates uses for a gate that waits for approvals or reviewers.
_WAITING = "gate_pending"

_VARIABLES = {
    "orchestrator_url": "BYLAW_ENDPOINT",
    "agent_id": "BYLAW_AGENT_ID",
    "task_id": "BYLAW_TASK_ID",
    "phase_token": "BYLAW_PHASE_TOKEN",
    "enrol_secret": "BYLAW_ENROL_SECRET",
}


class AgentClient:
    """Claims a task, uses tools that the phase allows, and asks for transitions.

    What goes wrong is an :class:`AgentError` whose class and ``next`` say what to do. Requests that may be repeated are, and happen once. All
    times are in seconds. Safe to use from many threads; as a context manager it ends its heartbeat.
    """

    def __init__(
        self,
        agent_id: str,
        orchestrator_url: str = "http://localhost:8000",
        *,
        enrol_secret: Optional[str] = None,
        task_id: Optional[str] = None,
        phase_token: Optional[str] = None,
        heartbeat: bool = True,
        allow_http: bool = False,
        timeout: float = 30.0,
        retry: Retry = Retry(),
        ssl_context: Optional[ssl.SSLContext] = None,
        **testing: Callable[..., Any],
    ) -> None:
        """``enrol_secret`` lets the agent claim; ``task_id`` and ``phase_token`` are of a task that was claimed for it. ``heartbeat`` sends
        heartbeats by itself. ``allow_http`` permits ``http:`` to another machine. ``testing`` replaces ``sleep`` and ``random``."""
        self.agent_id = agent_id
        # In functions, because code that prints an object prints its fields.
        secret = None if enrol_secret is None else credential_of(enrol_secret, "enrolment secret")
        self._enrol: Optional[Callable[[], str]] = None if secret is None else lambda: f"Bylaw-Enrol {secret}"
        token = None if phase_token is None else credential_of(phase_token, "phase token")
        self._transport = Transport(
            orchestrator_url, allow_http=allow_http, timeout=timeout, retry=retry, ssl_context=ssl_context, **testing
        )
        self._session = Session(self._transport, token, task_id)
        #: Answers and votes.
        self.consensus = AgentConsensus(self._session)
        self._heartbeat = heartbeat
        self._ended = threading.Event()
        #: Why the task is no longer held, as a heartbeat found; ``None`` while it is held.
        self.lost: Optional[AgentError] = None
        if token is not None:
            self._live(None)

    @classmethod
    def from_environment(cls, **options: Any) -> "AgentClient":
        """Creates a client from BYLAW_ENDPOINT, BYLAW_AGENT_ID, BYLAW_TASK_ID and BYLAW_PHASE_TOKEN, or BYLAW_ENROL_SECRET.

        Given options take precedence.
        """
        found = {name: os.environ[variable] for name, variable in _VARIABLES.items() if os.environ.get(variable)}
        for name in ("orchestrator_url", "agent_id"):
            if name not in found and name not in options:
                message = f"{_VARIABLES[name]} is not set"
                raise RequestInvalid(message, code="request_invalid", fix="Start the agent with `spawn_agent`, or set the variable")
        return cls(**{**found, **options})

    def __repr__(self) -> str:
        return f"AgentClient(agent_id={self.agent_id!r}, task_id={self.task_id!r}, phase={self.phase!r})"

    @property
    def task_id(self) -> Optional[str]:
        """The id of the claimed task."""
        return self._session.task_id

    @property
    def phase(self) -> Optional[str]:
        """The phase of the task, as last reported by the server."""
        return self._session.phase

    @property
    def prompt(self) -> Optional[str]:
        """The guide to the task's phase in prose, for the prompt of a model."""
        return self._session.prompt

    def contract(self) -> Dict[str, Any]:
        """The contract, with what each phase allows and requires."""
        return cast(Dict[str, Any], self._session.get("contract", "/contract"))

    def claim_task(
        self,
        capabilities: Optional[Sequence[str]] = None,
        *,
        task_id: Optional[str] = None,
        wait: float = 0.0,
        request_id: Optional[str] = None,
    ) -> Claim:
        """Claims a task: the named one, or the next ready one that fits the capabilities. Raises NoTaskReady after ``wait`` seconds."""
        until = time.monotonic() + wait
        authorization = self._enrol or (lambda: self._session.bearer("claim"))
        wanted = _given(agent_id=self.agent_id, capabilities=None if capabilities is None else list(capabilities), task_id=task_id)
        while True:
            held = min(max(0.0, until - time.monotonic()), _HOLD)
            body = {**wanted, **({} if held == 0 else {"wait_ms": round(held * 1_000)})}
            try:
                request = Ask("POST", "/tasks/claim", authorization, body=body, request_id=request_id, timeout=30.0 + held)
                answer = self._transport.ask(request)[1]
                break
            except NoTaskReady as none:
                left = until - time.monotonic()
                if left <= 0:
                    raise
                self._transport.sleep(min(none.retry_after or 1.0, left))
        self._session.renew(answer.pop("phase_token"))
        self._session.task_id = answer["task"]["id"]
        self._session.enter(answer)
        self._live(answer["task"]["lease_until"])
        return cast(Claim, answer)

    def request_transition(
        self,
        target_phase: str,
        artifacts: Optional[Mapping[str, Any]] = None,
        *,
        reason: Optional[str] = None,
        request_id: Optional[str] = None,
    ) -> PhaseEntered:
        """Asks for the task to enter a phase, with the artifacts that the current phase requires. Raises TransitionBlocked with every reason."""
        body = _given(target_phase=target_phase, artifacts=dict(artifacts or {}), reason=reason)
        answer = self._session.post("transition", "/tasks/transition", body, request_id=request_id)[1]
        self._session.renew(answer.pop("new_token", None))
        if not answer["allowed"]:
            raise _blocked(target_phase, answer)
        self._session.enter(answer)
        for name in ("blockers", "blocked_by", "test_run"):
            answer.pop(name, None)
        return cast(PhaseEntered, answer)

    def complete_task(self, artifacts: Optional[Mapping[str, Any]] = None, *, request_id: Optional[str] = None) -> PhaseEntered:
        """Completes the task, with the artifacts that its last phase requires. Raises TransitionBlocked."""
        entered = self.request_transition("@completed", artifacts, request_id=request_id)
        self._ended.set()
        return entered

    def release_task(self, reason: Optional[str] = None) -> None:
        """Gives the task back, for another agent to claim."""
        self._session.post("release", "/tasks/release", _given(reason=reason))
        self._ended.set()
        self._session.end()

    def fail_task(self, reason: str) -> None:
        """Fails the task, which then waits for a person."""
        self._session.post("fail", "/tasks/fail", {"reason": reason})
        self._ended.set()
        self._session.end()

    def heartbeat(self) -> str:
        """Sends a heartbeat, and returns the new end of the lease. Raises NotClaimed if it is too late."""
        turn = self._session.turn
        answer = self._session.post("heartbeat", "/tasks/heartbeat", {})[1]
        self._session.refresh(answer.get("phase_token"), turn)
        return cast(str, answer["lease_until"])

    def use_tool(
        self,
        tool_name: str,
        args: Optional[Mapping[str, Any]] = None,
        *,
        approval_wait: Optional[float] = None,
        request_id: Optional[str] = None,
        timeout: float = _TOOL,
        **more: Any,
    ) -> Any:
        """Has the server execute a tool, and returns its result. Arguments may also be given by name.

        Raises ToolForbidden, ToolFailed, or ApprovalPending if a person must approve. With ``approval_wait``, waits that many seconds for the
        answer, and repeats the call after a yes.
        """
        given = {**(args or {}), **more}
        return self._execute(tool_name, given, approval_wait=approval_wait, request_id=request_id, timeout=timeout)["result"]

    def _execute(
        self, tool_name: str, args: Dict[str, Any], *, approval_wait: Optional[float] = None, request_id: Optional[str], timeout: float
    ) -> ToolAnswer:
        body = {"tool_name": tool_name, "args": args}
        status, answer = self._session.post(tool_name, "/tools/execute", body, tool=tool_name, request_id=request_id, timeout=timeout)
        if status != 202:
            return cast(ToolAnswer, answer)
        approval_id = answer["approval_id"]
        if approval_wait is None:
            raise ApprovalPending(
                f"A person must approve this call of `{tool_name}`",
                **{"code": "approval_pending", "status": 202, "fix": "Wait for the approval, then make the same call again"},
                approval_id=approval_id,
            )
        self.wait_for_approval(approval_id, timeout=approval_wait)
        return self._execute(tool_name, args, request_id=None, timeout=timeout)

    def use_tools(
        self, calls: Sequence[Mapping[str, Any]], *, request_id: Optional[str] = None, timeout: float = _TOOL
    ) -> List[Dict[str, Any]]:
        """Has the server execute several tools in one request, each ``{"tool_name", "args", "id"?}``, one after the other.

        Returns one outcome for each, in order. Its ``status`` is ``done``, ``failed``, ``denied``, ``pending`` or ``skipped``. The first call
        that is not ``done`` ends the batch, and the rest is ``skipped``.
        """
        body = {"calls": [dict(call) for call in calls]}
        answer = self._session.post("batch", "/tools/execute/batch", body, request_id=request_id, timeout=timeout)[1]
        return cast(List[Dict[str, Any]], answer["results"])

    def check_tool(self, tool_name: str, args: Optional[Mapping[str, Any]] = None, *, record: Optional[bool] = None) -> CheckAnswer:
        """Asks whether a call would be allowed, without making it. With ``record=False``, the question is not recorded either."""
        body = _given(tool_name=tool_name, args=dict(args or {}), record=record)
        return cast(CheckAnswer, self._session.post(tool_name, "/tools/check", body, tool=tool_name)[1])

    def check_tools(self, calls: Sequence[Mapping[str, Any]], *, record: Optional[bool] = None) -> List[CheckAnswer]:
        """Asks about many calls at once, each ``{"tool_name", "args", "id"?}``. Returns one answer for each, in order."""
        body = _given(calls=[dict(call) for call in calls], record=record)
        return cast(List[CheckAnswer], self._session.post("batch", "/tools/check/batch", body)[1]["decisions"])

    batch = check_tools

    def report_result(self, id: str, tool_name: str, *, ok: bool, result: Any = None) -> None:
        """Reports the result of a checked call that the agent made itself."""
        self._session.post("result", "/tools/result", {"id": id, "tool_name": tool_name, "ok": ok, "result": result})

    def tools(self) -> List[Dict[str, Any]]:
        """The tools, with JSON Schemas of their arguments, and whether the phase allows them."""
        return cast(List[Dict[str, Any]], self._session.get("tools", "/tools")["tools"])

    def respond(self, response: Mapping[str, Any]) -> Dict[str, Any]:
        """Submits a finished response of the agent's model. The answer says whether it is accepted and how to continue."""
        return cast(Dict[str, Any], self._session.send("response", "/responses", dict(response))[1])

    def behave(self, action: Mapping[str, Any]) -> Dict[str, Any]:
        """Asks to steer the workflow, with the content of a control file: ``{"action", "reason"?, …}``."""
        return cast(Dict[str, Any], self._session.send("behavior", "/behaviors", dict(action))[1])

    def get_state_snapshot(self, cursor: Optional[str] = None) -> Snapshot:
        """The state of the task: phase, dependencies, what is done, what blocks. ``cursor`` is the ``next`` of the previous page."""
        return cast(Snapshot, self._session.get("snapshot", "/state/snapshot", query={"cursor": cursor}))

    def events(self, after: int = 0) -> Iterator[LogEvent]:
        """The events of the task after number ``after`` (default: all), and then each as it happens. Reconnects by itself."""
        return follow(self._transport, lambda: self._session.bearer("events"), after)

    def directives(self) -> List[Dict[str, Any]]:
        """The open work of others for the task, such as requested reviews."""
        return cast(List[Dict[str, Any]], self._session.get("directives", "/directives")["directives"])

    def approvals(self) -> List[Approval]:
        """The open questions to a person about the task: calls and gates."""
        return cast(List[Approval], self._session.get("approvals", "/approvals")["approvals"])

    def wait_for_approval(self, approval_id: str, *, timeout: float = 3_600.0) -> Approval:
        """Waits until a person has answered. Raises ApprovalRefused for a no, and when nobody answers in time."""
        until = time.monotonic() + timeout
        path = f"/approvals/{urllib.parse.quote(approval_id, safe='')}"
        while True:
            held = min(max(0.0, until - time.monotonic()), _HOLD)
            approval = self._session.get("approval", path, query={"wait_ms": round(held * 1_000)}, timeout=30.0 + held)
            state = approval["state"]
            if state in ("approved", "used"):
                return cast(Approval, approval)
            if state != "open":
                raise ApprovalRefused(f"Approval `{approval_id}` was not given: it is {state}", code=f"approval_{state}")
            if time.monotonic() >= until:
                raise ApprovalRefused(f"Nobody answered approval `{approval_id}` in time", code="approval_expired")

    def read_file(self, path: str, *, offset: Optional[int] = None, limit: Optional[int] = None) -> Any:
        """Reads a file of the workspace."""
        return self.use_tool("read_files", _given(path=path, offset=offset, limit=limit))

    def write_file(self, path: str, content: str, *, mode: Optional[str] = None) -> Any:
        """Writes a file of the workspace. ``mode="a"`` appends to it."""
        return self.use_tool("write_files", _given(path=path, content=content, mode=mode))

    def run_command(self, command: str, *, timeout: Optional[float] = None, cwd: Optional[str] = None) -> Any:
        """Runs a command in the workspace."""
        return self.use_tool("bash", _given(command=command, timeout=timeout, cwd=cwd))

    def grep(self, pattern: str, path: str = ".") -> Any:
        """Searches for a pattern in the files of the workspace."""
        return self.use_tool("grep", {"pattern": pattern, "path": path})

    def close(self) -> None:
        """Ends the heartbeat. The claim stays until its lease ends; ``release_task`` gives it back at once."""
        self._ended.set()

    def __enter__(self) -> "AgentClient":
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        self.close()

    def _live(self, lease_until: Optional[str]) -> None:
        self._ended.set()
        ended = self._ended = threading.Event()
        self.lost = None
        if self._heartbeat:
            threading.Thread(target=self._beat, args=(ended, lease_until), name="bylaw-heartbeat", daemon=True).start()

    def _beat(self, ended: threading.Event, lease_until: Optional[str]) -> None:
        overtaken = soon = False
        while not ended.wait(_SOON if soon else _rhythm(lease_until)):
            soon = False
            try:
                lease_until = self.heartbeat()
                overtaken = False
            except (Unavailable, RateLimited, ServerFault):
                # No answer does not mean that the claim is lost: the server may be back before the lease ends, or else report the loss.
                continue
            except AgentError as error:
                # The same is true for a token that was replaced once, because the answer with the newer one may be on its way.
                if isinstance(error, TokenExpired) and not overtaken:
                    overtaken = soon = True
                    continue
                if not ended.is_set():
                    self.lost = error
                return


def _rhythm(until: Optional[str]) -> float:
    # Three heartbeats per lease. Clocks differ, so the pause stays within bounds whatever the end of the lease is.
    if until is None:
        return 10.0
    try:
        # Python before 3.11 parses neither Z nor fractions of any length.
        at = datetime.strptime(re.sub(r"(\.\d+)?Z$", "", until), "%Y-%m-%dT%H:%M:%S").replace(tzinfo=timezone.utc)
    except ValueError:
        return 10.0
    return min(60.0, max(1.0, (at - datetime.now(timezone.utc)).total_seconds() / 3))


def _given(**fields: Any) -> Dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _blocked(target: str, answer: Mapping[str, Any]) -> TransitionBlocked:
    decision = answer["decision"]
    votes = [vote for vote in decision.get("votes") or [] if vote.get("effect") != "allow" and vote.get("severity") != "warning"]
    codes = [vote.get("code") for vote in votes] or [decision["code"]]
    blockers = list(answer["blockers"]) or [decision["reason"]]
    return TransitionBlocked(
        f"Transition blocked: {'; '.join(blockers)}",
        **{"code": decision["code"], "fix": decision.get("fix"), "status": 200},
        blockers=blockers,
        blocked_by=answer.get("blocked_by") or (),
        test_run=answer.get("test_run"),
        pending=all(code == _WAITING for code in codes),
    )
