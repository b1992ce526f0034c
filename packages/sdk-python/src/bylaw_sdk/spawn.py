"""Starts programs as agents."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from typing import Any, Mapping, Optional, Sequence

from .answers import Claim
from .client import AgentClient
from .errors import RequestInvalid

_NEEDED = re.compile(
    r"(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|TMP|TEMP|SYSTEMROOT|WINDIR|COMSPEC|PATHEXT|USERPROFILE|APPDATA|LOCALAPPDATA)",
    re.IGNORECASE,
)
_SECRET = re.compile(r"(BYLAW_(OPERATOR_TOKEN|JWT_SECRET|ENROL_SECRET)|ORCHESTRATOR_JWT_SECRET)", re.IGNORECASE)
_GROUPS = os.name == "posix"


class SpawnedAgent:
    """A started agent, with the task that was claimed for it."""

    def __init__(self, claim: Claim, process: "subprocess.Popen[bytes]") -> None:
        self.claim = claim
        self.pid = process.pid
        self._process = process

    def wait(self, timeout: Optional[float] = None) -> int:
        """Waits until the agent has ended, and returns its exit code. Raises subprocess.TimeoutExpired."""
        return self._process.wait(timeout)

    def stop(self, grace: float = 5.0) -> int:
        """Ends the agent with everything it has started: asks first, and kills after ``grace`` seconds."""
        self._kill(signal.SIGTERM)
        try:
            self._process.wait(grace)
        except subprocess.TimeoutExpired:
            pass
        # Whatever it has left in its group must end too.
        self._kill(getattr(signal, "SIGKILL", signal.SIGTERM))
        return self._process.wait()

    def _kill(self, by: int) -> None:
        try:
            if _GROUPS:
                os.killpg(self.pid, by)
            else:
                self._process.terminate()
        except (ProcessLookupError, PermissionError):
            pass


def spawn_agent(
    command: Sequence[str],
    *,
    agent_id: str,
    orchestrator_url: str,
    enrol_secret: str,
    task_id: Optional[str] = None,
    capabilities: Optional[Sequence[str]] = None,
    wait: float = 0.0,
    contract: Optional[str] = None,
    cwd: Optional[str] = None,
    env: Optional[Mapping[str, str]] = None,
    **client: Any,
) -> SpawnedAgent:
    """Claims a task and starts a program as the agent for it.

    The program runs without a shell. It gets BYLAW_ENDPOINT, BYLAW_AGENT_ID, BYLAW_TASK_ID, BYLAW_PHASE_TOKEN, BYLAW_PROMPT and, if given,
    BYLAW_CONTRACT, which ``AgentClient.from_environment`` reads. It does not get the enrolment secret. Raises NoTaskReady and other errors of a
    claim, and RequestInvalid if the program cannot be started.
    """
    more = dict(env or {})
    for name in more:
        if _SECRET.fullmatch(name):
            raise RequestInvalid(
                f"`env` holds {name}, a secret of the service", code="request_invalid", fix="Remove it; with it the agent could act as anyone"
            )
    claimer = AgentClient(agent_id, orchestrator_url, enrol_secret=enrol_secret, heartbeat=False, **client)
    claim = claimer.claim_task(capabilities, task_id=task_id, wait=wait)
    token = claimer._session.bearer("spawn_agent")[len("Bearer ") :]
    told = {
        **{name: value for name, value in os.environ.items() if _NEEDED.fullmatch(name)},
        **more,
        "BYLAW_ENDPOINT": orchestrator_url,
        "BYLAW_AGENT_ID": agent_id,
        "BYLAW_TASK_ID": claim["task"]["id"],
        "BYLAW_PHASE_TOKEN": token,
        "BYLAW_PROMPT": claim["prompt"],
        **({} if contract is None else {"BYLAW_CONTRACT": contract}),
    }
    try:
        # A group of its own, so that everything it has started ends with it.
        process = subprocess.Popen(list(command), env=told, cwd=cwd, stdin=subprocess.DEVNULL, start_new_session=_GROUPS)
    except (OSError, ValueError) as error:
        claimer.release_task("the agent could not be started")
        raise RequestInvalid(f"Cannot start `{command[0]}`", code="request_invalid") from error
    return SpawnedAgent(claim, process)
