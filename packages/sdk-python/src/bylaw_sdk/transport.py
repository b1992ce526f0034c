"""Sends requests and retries them."""

from __future__ import annotations

import email.utils
import http.client
import json
import random as chance
import re
import ssl
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from typing import Any, Callable, Dict, Mapping, NamedTuple, Optional, Tuple

from .errors import AgentError, RequestInvalid, ServerFault, Unavailable
from .problem import error_of

BASE = "/api/v1"
_HERE = re.compile(r"(localhost|.+\.localhost|127(\.\d{1,3}){3}|::1)")
_AGAIN = frozenset((408, 429, 502, 503, 504))


class Retry(NamedTuple):
    """How often and how long a request is retried. Times are in seconds."""

    #: All attempts, including the first. 1 never retries.
    attempts: int = 8
    #: The first pause. Each next one is twice as long.
    base: float = 0.1
    #: The longest pause of the client's own choice. A ``Retry-After`` may ask for more.
    cap: float = 5.0
    #: The longest time of all pauses together.
    give_up: float = 60.0


class Ask(NamedTuple):
    """One request."""

    method: str
    #: The path after the base: ``/tasks/claim``.
    path: str
    #: The value of the Authorization header. Read for each attempt, because it may have changed.
    authorization: Callable[[], str]
    body: Optional[Mapping[str, Any]] = None
    query: Optional[Mapping[str, Any]] = None
    headers: Optional[Mapping[str, str]] = None
    #: The tool of the request.
    tool: Optional[str] = None
    #: The key with which the server executes the request once, however often it is sent.
    request_id: Optional[str] = None
    #: The time limit of one attempt.
    timeout: Optional[float] = None


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    # A credential must not be sent to another address.
    def redirect_request(self, *_: Any) -> None:
        return None


def endpoint_of(endpoint: str, allow_http: bool) -> str:
    """Returns the base of all requests, without a trailing slash."""
    # The URL is not repeated, because it may contain a password.
    try:
        url = urllib.parse.urlsplit(endpoint)
        host = url.hostname or ""
        url.port  # noqa: B018  (it is checked when it is read)
    except ValueError:
        url, host = urllib.parse.urlsplit(""), ""
    if url.scheme not in ("http", "https") or host == "":
        raise _invalid("`endpoint` must be an address such as `https://bylaw.example.org`")
    if url.username is not None or url.password is not None or url.query or url.fragment:
        raise _invalid("`endpoint` must not hold credentials, a query or a fragment")
    if url.scheme == "http" and not allow_http and not _HERE.fullmatch(host):
        fix = "Use https, or set `allow_http` if the network in between is safe"
        raise _invalid(f"`{host}` is another machine, so `endpoint` must use https", fix)
    path = url.path.rstrip("/")
    return f"{url.scheme}://{url.netloc}{path if path.endswith(BASE) else path + BASE}"


def credential_of(text: str, what: str) -> str:
    """Returns a credential. Refuses one that cannot be sent in a header."""
    if re.fullmatch(r"[\x21-\x7e]+", text):
        return text
    raise _invalid(f"The {what} must be printable characters without spaces")


def _invalid(message: str, fix: Optional[str] = None) -> RequestInvalid:
    return RequestInvalid(message, code="request_invalid", fix=fix)


def new_key() -> str:
    """A new idempotency key."""
    return uuid.uuid4().hex


class Transport:
    """Sends requests and retries them."""

    def __init__(
        self,
        endpoint: str,
        *,
        allow_http: bool = False,
        timeout: float = 30.0,
        retry: Retry = Retry(),
        ssl_context: Optional[ssl.SSLContext] = None,
        sleep: Callable[[float], object] = time.sleep,
        random: Callable[[], float] = chance.random,
    ) -> None:
        self._base = endpoint_of(endpoint, allow_http)
        self._timeout = timeout
        self._retry = retry
        self.sleep = sleep
        self._random = random
        host = urllib.parse.urlsplit(self._base).hostname or ""
        handlers: list[Any] = [_NoRedirect()]
        # Requests to this machine must not go through a proxy that the environment names.
        if _HERE.fullmatch(host):
            handlers.append(urllib.request.ProxyHandler({}))
        if ssl_context is not None:
            handlers.append(urllib.request.HTTPSHandler(context=ssl_context))
        self._opener = urllib.request.build_opener(*handlers)

    def pause(self, attempt: int, asked: Optional[float] = None) -> float:
        """The pause after attempt number ``attempt`` (from 1): doubled each time up to the cap, plus up to a quarter at random."""
        # A stream is reopened without a limit, so the power must not overflow.
        own = min(self._retry.cap, self._retry.base * 2 ** min(attempt - 1, 60))
        return max(own, asked or 0.0) * (1 + self._random() / 4)

    def ask(self, request: Ask) -> Tuple[int, Any]:
        """Returns status and body of the answer. All attempts have one key. Raises an AgentError."""
        request = request._replace(request_id=request.request_id or new_key())
        waited = 0.0
        attempt = 0
        while True:
            attempt += 1
            try:
                with self.open(request) as response:
                    status: int = response.status
                    text = response.read()
            except AgentError as error:
                problem = error
            except (OSError, http.client.HTTPException):
                problem = unreachable()
            else:
                return status, _readable(status, text)
            again = problem.code == "unreachable" or problem.status in _AGAIN
            pause = self.pause(attempt, problem.retry_after)
            if not again or attempt >= self._retry.attempts or waited + pause > self._retry.give_up:
                raise problem
            waited += pause
            self.sleep(pause)

    def open(self, request: Ask) -> Any:
        """Returns the unread answer, after one attempt. Raises an AgentError for an error response, or what the network raises."""
        method, path, authorization, body, query, headers, tool, key, timeout = request
        credential = authorization()
        sent: Dict[str, str] = {"Accept": "application/json", "Authorization": credential, **(headers or {})}
        payload = None
        if body is not None:
            sent["Content-Type"] = "application/json"
            payload = json.dumps(body).encode("utf-8")
        if method != "GET" and key is not None:
            sent["Idempotency-Key"] = key
        asked = urllib.parse.urlencode({name: value for name, value in (query or {}).items() if value is not None})
        url = f"{self._base}{path}{'?' + asked if asked else ''}"
        try:
            return self._opener.open(
                urllib.request.Request(url, data=payload, headers=sent, method=method),
                timeout=self._timeout if timeout is None else timeout,
            )
        except urllib.error.HTTPError as answer:
            with answer:
                raise _refusal(answer, credential, tool) from None


def _refusal(answer: urllib.error.HTTPError, credential: str, tool: Optional[str]) -> AgentError:
    status = answer.code
    if 300 <= status < 400:
        return ServerFault(
            "The service answered with a redirect",
            code="redirected",
            status=status,
            fix="Use the address of the service itself as the endpoint",
        )
    try:
        body = json.loads(answer.read())
    except (ValueError, OSError, http.client.HTTPException):
        body = None
    secret = credential.partition(" ")[2]
    # A server or proxy may repeat the credential in its answer.
    return error_of(
        status,
        body,
        retry_after=_retry_after(answer.headers.get("Retry-After")),
        tool=tool,
        mask=lambda text: text.replace(secret, "[credential]") if secret else text,
    )


def _retry_after(header: Optional[str]) -> Optional[float]:
    if header is None:
        return None
    if re.fullmatch(r"[0-9]{1,9}", header):
        return float(header)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(header).timestamp() - time.time())
    except (TypeError, ValueError):
        return None


def _readable(status: int, text: bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        message = f"The answer is not JSON (status {status})"
        raise ServerFault(message, code="answer_unreadable", status=status) from None


def unreachable() -> Unavailable:
    """The error of a request without an answer."""
    return Unavailable(
        "The service did not answer",
        code="unreachable",
        fix="Check that it runs at the endpoint and can be reached; repeating the request with the same request id is safe",
    )
