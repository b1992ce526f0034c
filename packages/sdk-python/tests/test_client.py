"""Tests the client with a misbehaving server, over real sockets. Other tests use the real service."""

from __future__ import annotations

import json
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Dict, List, Optional, Tuple

from bylaw_sdk.transport import Transport
from bylaw_sdk import (
    AgentClient,
    ApprovalPending,
    NoTaskReady,
    NotClaimed,
    NotPermitted,
    RateLimited,
    RequestInvalid,
    Retry,
    ServerFault,
    TokenExpired,
    ToolForbidden,
    TransitionBlocked,
    Unauthenticated,
    Unavailable,
)

ENROL = "enrol-secret-that-nobody-may-see"
TOKEN = "phase-token-that-nobody-may-see"
CLAIM = {
    "task": {"id": "t1", "agent_id": "ann", "capabilities": [], "assigned_phase": "PLAN", "fence": 1, "lease_until": "2026-01-02T10:00:00.000Z"},
    "phase_token": TOKEN,
    "phase": "PLAN",
    "allowed_tools": [],
    "contract": {"name": "c", "version": "1", "digest": "sha256:0"},
}

Reply = Tuple[int, Any, Dict[str, str]]
Handler = Callable[[Dict[str, Any], int], Optional[Reply]]


def ok(body: Any, status: int = 200) -> Reply:
    return status, body, {}


def problem(status: int, code: str, headers: Optional[Dict[str, str]] = None, **more: Any) -> Reply:
    return status, {"type": "x", "title": code, "status": status, "detail": f"The request failed with {code}", "code": code, **more}, headers or {}


class Case(unittest.TestCase):
    def serve(self, handler: Handler) -> Tuple[str, List[Dict[str, Any]]]:
        received: List[Dict[str, Any]] = []

        class Answering(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self) -> None:
                text = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                request = {"path": self.path, "headers": self.headers, "body": json.loads(text) if text else None}
                received.append(request)
                reply = handler(request, len(received))
                self.close_connection = True
                if reply is None:
                    self.connection.close()
                    return
                status, body, headers = reply
                sent = body if isinstance(body, bytes) else json.dumps(body).encode()
                self.send_response(status)
                for name, value in {"Content-Length": str(len(sent)), "Connection": "close", **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(sent)

            do_GET = do_POST = answer

            def log_message(self, *_: Any) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return f"http://127.0.0.1:{server.server_address[1]}", received

    def client(self, endpoint: str, **options: Any) -> Tuple[AgentClient, List[float]]:
        pauses: List[float] = []
        given = {"enrol_secret": ENROL, "heartbeat": False, "sleep": pauses.append, "random": lambda: 0.0, **options}
        client = AgentClient("ann", endpoint, **given)
        self.addCleanup(client.close)
        return client, pauses

    def holding(self, endpoint: str, **options: Any) -> Tuple[AgentClient, List[float]]:
        return self.client(endpoint, task_id="t1", phase_token=TOKEN, **options)


class Retries(Case):
    def test_a_pause_has_a_length_however_long_nobody_answers(self) -> None:
        self.assertEqual(Transport("http://127.0.0.1:1", random=lambda: 0.0).pause(5_000), 5.0)

    def test_a_request_is_made_again_under_the_same_key(self) -> None:
        answers = [None, problem(503, "closing", {"Retry-After": "2"}), (200, b'{"cut', {"Content-Length": "900"}), problem(429, "rate", {"Retry-After": "3"})]
        endpoint, received = self.serve(lambda _, count: answers[count - 1] if count <= 4 else ok(CLAIM))
        client, pauses = self.client(endpoint)
        self.assertEqual(client.claim_task()["task"]["id"], "t1")
        self.assertEqual(len({request["headers"]["Idempotency-Key"] for request in received}), 1)
        self.assertEqual(pauses, [0.1, 2.0, 0.4, 3.0])

    def test_a_newer_token_makes_no_other_request_of_it(self) -> None:
        def answer(request: Dict[str, Any], _: int) -> Optional[Reply]:
            if request["path"].endswith("/heartbeat"):
                return ok({"lease_until": "x", "phase_token": "newer"})
            attempt = sum(one["path"].endswith("/execute") for one in received)
            # The tool ran, but the answer was lost.
            if attempt == 1:
                return None
            if attempt > 2:
                return ok({"id": "1", "result": "once"})
            client.heartbeat()
            return problem(403, "token_superseded")

        endpoint, received = self.serve(answer)
        client, _ = self.holding(endpoint)
        self.assertEqual(client.use_tool("bash", command="deploy"), "once")
        attempts = [request["headers"] for request in received if request["path"].endswith("/execute")]
        self.assertEqual([headers["Authorization"] for headers in attempts], [f"Bearer {TOKEN}", f"Bearer {TOKEN}", "Bearer newer"])
        self.assertEqual(len({headers["Idempotency-Key"] for headers in attempts}), 1)

    def test_what_is_wrong_is_asked_once(self) -> None:
        for status in (400, 401, 403, 404, 409, 413, 500):
            endpoint, received = self.serve(lambda *_, status=status: problem(status, "wrong"))
            client, _ = self.holding(endpoint)
            with self.assertRaises(Exception) as caught:
                client.heartbeat()
            self.assertEqual((caught.exception.status, len(received)), (status, 1))

    def test_it_gives_up(self) -> None:
        endpoint, received = self.serve(lambda *_: None)
        client, _ = self.holding(endpoint, retry=Retry(attempts=3))
        with self.assertRaises(Unavailable) as caught:
            client.heartbeat()
        self.assertEqual((caught.exception.code, len(received)), ("unreachable", 3))
        endpoint, received = self.serve(lambda *_: problem(429, "rate", {"Retry-After": "3600"}))
        client, _ = self.holding(endpoint)
        with self.assertRaises(RateLimited) as limited:
            client.heartbeat()
        self.assertEqual((limited.exception.retry_after, len(received)), (3600.0, 1))

    def test_a_claim_waits_for_a_task(self) -> None:
        none = problem(404, "task_none_ready", {"Retry-After": "1"})
        endpoint, received = self.serve(lambda _, count: none if count < 3 else ok(CLAIM))
        client, pauses = self.client(endpoint)
        client.claim_task(["python"], wait=60)
        self.assertEqual(pauses, [1.0, 1.0])
        self.assertEqual(len({request["headers"]["Idempotency-Key"] for request in received}), 3)
        endpoint, _ = self.serve(lambda *_: none)
        with self.assertRaises(NoTaskReady):
            self.client(endpoint)[0].claim_task()


class SignsOfLife(Case):
    def test_a_token_that_a_transition_overtakes_is_no_loss_unless_it_stays_so(self) -> None:
        beaten = {"lease_until": "x", "phase_token": TOKEN}
        endpoint, received = self.serve(lambda _, count: ok(beaten) if count == 2 else problem(403, "token_superseded"))
        client, _ = self.holding(endpoint)

        class AtOnce(threading.Event):
            def wait(self, timeout: Optional[float] = None) -> bool:
                return self.is_set()

        client._beat(AtOnce(), None)
        # Replaced, valid, replaced twice.
        self.assertEqual(len(received), 4)
        self.assertIsInstance(client.lost, TokenExpired)


class Errors(Case):
    def test_each_says_what_to_do(self) -> None:
        for status, code, kind, step in (
            (401, "BYLAW_CREDENTIAL_UNKNOWN", Unauthenticated, "stop"),
            (403, "token_expired", TokenExpired, "claim"),
            (403, "token_other_task", NotClaimed, "claim"),
            (403, "phase_tool_forbidden", ToolForbidden, "change"),
            (403, "BYLAW_CREDENTIAL_UNFIT", NotPermitted, "stop"),
            (400, "BYLAW_REQUEST_INVALID", RequestInvalid, "change"),
            (500, "BYLAW_SERVICE_FAILED", ServerFault, "stop"),
        ):
            endpoint, _ = self.serve(lambda *_, status=status, code=code: problem(status, code, fix="do otherwise"))
            client, _ = self.holding(endpoint)
            with self.assertRaises(kind) as caught:
                client.run_command("ls")
            self.assertEqual((caught.exception.code, caught.exception.next, caught.exception.fix), (code, step, "do otherwise"))

    def test_they_are_the_exceptions_that_older_agents_catch(self) -> None:
        endpoint, _ = self.serve(
            lambda *_: ok({"allowed": False, "new_token": None, "phase": "PLAN", "blockers": ["b1", "b2"], "decision": {"code": "gate_pending", "reason": "b1"}})
        )
        client, _ = self.holding(endpoint)
        with self.assertRaisesRegex(PermissionError, "^Transition blocked: b1; b2$") as blocked:
            client.request_transition("TDD")
        self.assertIsInstance(blocked.exception, TransitionBlocked)
        self.assertTrue(blocked.exception.pending)
        early, _ = self.client(endpoint)
        with self.assertRaisesRegex(RuntimeError, "^Must claim task before"):
            early.use_tool("bash")
        endpoint, _ = self.serve(lambda *_: problem(400, "BYLAW_TOOL_FAILED", decision={"effect": "allow"}))
        with self.assertRaises(ValueError):
            self.holding(endpoint)[0].read_file("x")

    def test_a_call_waits_for_a_yes(self) -> None:
        def answer(request: Dict[str, Any], count: int) -> Reply:
            if request["path"].startswith("/api/v1/approvals/"):
                return ok({"id": "q/1", "state": "approved"})
            return ok({"approval_id": "q/1", "status": "pending"}, 202) if count < 3 else ok({"id": "c", "result": "done"})

        endpoint, received = self.serve(answer)
        client, _ = self.holding(endpoint)
        with self.assertRaises(ApprovalPending) as pending:
            client.use_tool("send_mail", to="bob")
        self.assertEqual(pending.exception.approval_id, "q/1")
        self.assertEqual(client.use_tool("send_mail", {"to": "bob"}, approval_wait=60), "done")
        self.assertEqual([request["body"]["args"] for request in received if request["body"]], [{"to": "bob"}] * 3)


class Secrets(Case):
    def test_nothing_shows_a_credential(self) -> None:
        endpoint, received = self.serve(
            lambda request, count: ok(dict(CLAIM)) if count == 1 else problem(403, "token_expired", detail=request["headers"]["Authorization"])
        )
        client, _ = self.client(endpoint)
        claim = client.claim_task()
        with self.assertRaises(TokenExpired) as caught:
            client.heartbeat()
        shown = [repr(claim), repr(client), str(vars(client)), repr(caught.exception), str(vars(caught.exception))]
        self.assertNotIn("nobody-may-see", "\n".join(shown))
        self.assertEqual([request["headers"]["Authorization"] for request in received], [f"Bylaw-Enrol {ENROL}", f"Bearer {TOKEN}"])
        self.assertNotIn("nobody-may-see", "".join(request["path"] for request in received))

    def test_a_redirection_takes_none_along(self) -> None:
        elsewhere, seen = self.serve(lambda *_: ok(CLAIM))
        endpoint, _ = self.serve(lambda *_: (307, {}, {"Location": f"{elsewhere}/api/v1/tasks/claim"}))
        with self.assertRaises(ServerFault):
            self.client(endpoint)[0].claim_task()
        self.assertEqual(seen, [])

    def test_some_addresses_and_credentials_are_refused(self) -> None:
        refused = ("x", "ftp://127.0.0.1", "http://bylaw.example.org", f"https://a:{TOKEN}@b.example", f"https://b.example?t={TOKEN}", "http://127.0.0.1:x")
        for endpoint in refused:
            with self.assertRaises(RequestInvalid) as caught:
                AgentClient("ann", endpoint)
            self.assertNotIn("nobody-may-see", str(caught.exception))
        for secret in (f"{ENROL}\r\nX: y", "a b", ""):
            with self.assertRaises(RequestInvalid):
                AgentClient("ann", enrol_secret=secret)


class Events(Case):
    def test_a_stream_goes_on_where_it_broke(self) -> None:
        def frame(sequence: int) -> bytes:
            return f"id: {sequence}\nevent: x\ndata: {json.dumps({'sequence': sequence})}\n\n".encode()

        answers: List[Optional[Reply]] = [
            (200, b": hello\n\n" + frame(1) + b"id: 2\n\nid: 3\ndata: {", {}),
            None,
            problem(503, "busy", {"Retry-After": "7"}),
            (200, frame(2) + frame(3), {}),
        ]
        endpoint, received = self.serve(lambda _, count: answers[count - 1])
        client, pauses = self.holding(endpoint)
        events = client.events()
        self.assertEqual([next(events)["sequence"] for _ in range(2)], [1, 3])
        self.assertEqual([request["headers"]["Last-Event-ID"] for request in received], ["0", "2", "2", "2"])
        self.assertEqual(pauses, [0.1, 0.2, 7.0])

    def test_a_stream_goes_on_with_a_token_that_came_while_it_was_asked_for(self) -> None:
        def answer(request: Dict[str, Any], _: int) -> Reply:
            if request["path"].endswith("/heartbeat"):
                return ok({"lease_until": "x", "phase_token": "newer"})
            if request["headers"]["Authorization"] == "Bearer newer":
                return 200, b'id: 1\ndata: {"sequence": 1}\n\n', {}
            client.heartbeat()
            return problem(403, "token_superseded")

        endpoint, _ = self.serve(answer)
        client, _ = self.holding(endpoint)
        self.assertEqual(next(client.events())["sequence"], 1)


if __name__ == "__main__":
    unittest.main()
