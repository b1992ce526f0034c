"""Requests, and the same requests again."""

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
    """How often and how long a request is made again. Times are in seconds."""

    #: Attempts in all, the first included. 1 never retries.
    attempts: int = 8
    #: The first pause; each next one is twice as long.
    base: float = 0.1
    #: The longest pause of its own. A ``Retry-After`` may ask for more.
    cap: float = 5.0
    #: No pause begins that would make all of them longer than this.
    give_up: float = 60.0


class Ask(NamedTuple):
    """One request."""

    method: str
    #: Below the base: ``/tasks/claim``.
    path: str
    #: The value of the Authorization header. Read for each attempt, since it may have changed.
    authorization: Callable[[], str]
    body: Optional[Mapping[str, Any]] = None
    query: Optional[Mapping[str, Any]] = None
    headers: Optional[Mapping[str, str]] = None
    #: The tool that it is about.
    tool: Optional[str] = None
    #: The key under which the server does this once, however often it is asked.
    request_id: Optional[str] = None
    #: The longest that one attempt may take.
    timeout: Optional[float] = None


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    # A credential goes nowhere but where it was meant to go.
    def redirect_request(self, *_: Any) -> None:
        return None


def endpoint_of(endpoint: str, allow_http: bool) -> str:
    """The base of all requests, without a slash at its end."""
    # What the address holds is not repeated: it may be a password.
    try:
        url = urllib.parse.urlsplit(endpoint)
        host = url.hostname or ""
        url.port  # noqa: B018  (it is checked when it is read)
    except ValueError:
        url, host = urllib.parse.urlsplit(""), ""
    if url.scheme not in ("http", "https") or host == "":
        raise _invalid("Unexpected endpoint, expected an address such as `https://bylaw.example.org`")
    if url.username is not None or url.password is not None or url.query or url.fragment:
        raise _invalid("Unexpected credentials, query or fragment in the endpoint, expected scheme, host, port and path alone")
    if url.scheme == "http" and not allow_http and not _HERE.fullmatch(host):
        raise _invalid(f"Unexpected http to `{host}`, expected https", "use https, or say `allow_http` where the way there is safe")
    path = url.path.rstrip("/")
    return f"{url.scheme}://{url.netloc}{path if path.endswith(BASE) else path + BASE}"


def credential_of(text: str, what: str) -> str:
    """Refuses what can be no credential: a header would break on it."""
    if re.fullmatch(r"[\x21-\x7e]+", text):
        return text
    raise _invalid(f"Unexpected {what}, expected printable characters without blanks")


def _invalid(message: str, fix: Optional[str] = None) -> RequestInvalid:
    return RequestInvalid(message, code="request_invalid", fix=fix)


def new_key() -> str:
    """A new idempotency key."""
    return uuid.uuid4().hex


class Transport:
    """Makes requests, and makes them again."""

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
        # What is meant for this machine stays on it, whatever proxy the environment names.
        if _HERE.fullmatch(host):
            handlers.append(urllib.request.ProxyHandler({}))
        if ssl_context is not None:
            handlers.append(urllib.request.HTTPSHandler(context=ssl_context))
        self._opener = urllib.request.build_opener(*handlers)

    def pause(self, attempt: int, asked: Optional[float] = None) -> float:
        """The pause after attempt number ``attempt`` (from 1): doubled each time up to the cap, and up to a quarter longer by chance."""
        # A stream is opened again for as long as it takes: the power must stay a number.
        own = min(self._retry.cap, self._retry.base * 2 ** min(attempt - 1, 60))
        return max(own, asked or 0.0) * (1 + self._random() / 4)

    def ask(self, request: Ask) -> Tuple[int, Any]:
        """Status and body of the answer. All attempts have one key. Raises an AgentError."""
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
        """The answer as it comes: one attempt. Raises an AgentError where it is one, or what the network raises."""
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
            "Unexpected redirection, expected an answer of the service",
            code="redirected",
            status=status,
            fix="give the address of the service itself",
        )
    try:
        body = json.loads(answer.read())
    except (ValueError, OSError, http.client.HTTPException):
        body = None
    secret = credential.partition(" ")[2]
    # A server, or a proxy before it, may repeat what it was sent.
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
        message = f"Unexpected answer that is no JSON, expected one of the service (status {status})"
        raise ServerFault(message, code="answer_unreadable", status=status) from None


def unreachable() -> Unavailable:
    """Nobody answered."""
    return Unavailable(
        "Unexpected silence of the service, expected an answer",
        code="unreachable",
        fix="see that it runs at the endpoint and can be reached; the same request id makes asking again harmless",
    )
