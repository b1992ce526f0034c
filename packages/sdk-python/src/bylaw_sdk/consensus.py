"""Lets agents answer and vote until they agree. Needs a server with ``--consensus``."""

from __future__ import annotations

import ssl
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, cast
from urllib.parse import quote

from .answers import ConsensusState, Conclusion, ShownAnswers
from .session import Session
from .transport import Ask, Retry, Transport, credential_of


class AgentConsensus:
    """The agent's side: ``agent.consensus``."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def state(self) -> ConsensusState:
        """The state of the consensus, and what this agent may do now."""
        return cast(ConsensusState, self._session.get("consensus", "/consensus"))

    def show(self) -> ShownAnswers:
        """The current answers of others, for the prompt. A vote counts only for an answer that was shown."""
        return cast(ShownAnswers, self._session.send("show", "/consensus/show", {})[1])

    def answer(self, content: str, *, request_id: Optional[str] = None) -> Dict[str, Any]:
        """Submits an answer, or a better one in place of the agent's last."""
        return cast(Dict[str, Any], self._session.send("answer", "/consensus/answer", {"content": content}, request_id=request_id)[1])

    def vote(self, agent_id: str, *, reason: Optional[str] = None, request_id: Optional[str] = None) -> Dict[str, Any]:
        """Votes for the answer of an agent, by its alias."""
        body = {"agent_id": agent_id, **({} if reason is None else {"reason": reason})}
        return cast(Dict[str, Any], self._session.send("vote", "/consensus/vote", body, request_id=request_id)[1])

    def conclude(self, response: Mapping[str, Any]) -> Optional[Conclusion]:
        """Records the outcome of a response that ``respond`` accepted; ``None`` if it was neither an answer nor a vote."""
        if response["sequence"] is None:
            return None
        body = {"sequence": response["sequence"]}
        return cast(Optional[Conclusion], self._session.send("conclude", "/consensus/conclude", body)[1]["conclusion"])

    def round(self) -> int:
        """Begins the next round of this agent, whose turn ended well. Returns its number."""
        return cast(int, self._session.send("round", "/consensus/round", {})[1]["round"])


class OperatorClient:
    """The operator's side: opens a consensus, begins rounds and selects the winner, and records events of a coordinator."""

    def __init__(
        self,
        operator_token: str,
        orchestrator_url: str = "http://localhost:8000",
        *,
        allow_http: bool = False,
        timeout: float = 30.0,
        retry: Retry = Retry(),
        ssl_context: Optional[ssl.SSLContext] = None,
        **testing: Callable[..., Any],
    ) -> None:
        # In a function, because code that prints an object prints its fields.
        token = credential_of(operator_token, "operator token")
        self._authorization = lambda: f"Bearer {token}"
        self._transport = Transport(
            orchestrator_url, allow_http=allow_http, timeout=timeout, retry=retry, ssl_context=ssl_context, **testing
        )

    def consensus(self) -> ConsensusState:
        """The state of the consensus."""
        return cast(ConsensusState, self._transport.ask(Ask("GET", "/consensus", self._authorization))[1])

    def open_consensus(self, agents: Sequence[str], **terms: Any) -> ConsensusState:
        """Opens the consensus with its agents and terms: ``max_answers_per_agent``, ``max_answers_global``, ``defer_voting``, ``fairness``."""
        return self._post("/consensus", {"agents": list(agents), **terms})

    def begin_round(self, agent_id: str) -> int:
        """Begins the next round of an agent, with new attempts. Returns its number."""
        return cast(int, self._post("/consensus/round", {"agent_id": agent_id})["round"])

    def drop_agent(self, agent_id: str, reason: str, *, message: Optional[str] = None) -> ConsensusState:
        """Stops waiting for an agent: ``timeout``, ``cancelled``, ``fatal_error``, ``superseded`` or ``denial_loop``."""
        body = {"agent_id": agent_id, "reason": reason, **({} if message is None else {"message": message})}
        return self._post("/consensus/drop", body)

    def select_winner(self) -> ConsensusState:
        """Selects the winner by the recorded votes."""
        return self._post("/consensus/select", {})

    def record_event(self, event_type: str, **event: Any) -> int:
        """Records an event of a coordinator: ``agent_id``, ``task_id``, ``details``. Returns the sequence of the event."""
        return cast(int, self._post("/events", {"event_type": event_type, **event})["sequence"])

    def clear_mark(self, mark: str) -> None:
        """Clears a mark of the policies, as if no call had set it."""
        self._post("/marks/clear", {"mark": mark})

    def create_tasks(self, tasks: Sequence[Mapping[str, Any]]) -> List[Dict[str, Any]]:
        """Creates tasks, each ``{"id"?, "title"?, "dependencies"?, "capabilities"?}`` and after those it depends on. Returns them in order."""
        return cast(List[Dict[str, Any]], self._post("/tasks", {"tasks": [dict(task) for task in tasks]})["tasks"])

    def directives(self) -> List[Dict[str, Any]]:
        """The open directives of the run."""
        return cast(List[Dict[str, Any]], self._transport.ask(Ask("GET", "/directives", self._authorization))[1]["directives"])

    def lease_directive(self, directive: str, holder: str, *, lease: float = 60.0) -> str:
        """Takes a directive for a while, so that nobody else carries it out, or renews the lease. Returns its end. Raises Conflict if it is taken."""
        body = {"holder": holder, "lease_ms": round(lease * 1_000)}
        return cast(str, self._post(f"/directives/{quote(directive, safe='')}/lease", body)["lease_until"])

    def report_directive(self, directive: str, *, ok: bool, **report: Any) -> None:
        """Reports the outcome of a directive; a review has a ``verdict``, ``approved`` or ``rejected``."""
        self._post(f"/directives/{quote(directive, safe='')}", {"ok": ok, **report})

    def _post(self, path: str, body: Mapping[str, Any]) -> Any:
        return self._transport.ask(Ask("POST", path, self._authorization, body=body))[1]
