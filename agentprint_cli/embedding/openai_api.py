"""An embeddings service of the OpenAI kind: ``openai:<model>@<base-url>``.

Texts leave the machine only for the address that the name spells out. The address of the service
is the base URL followed by ``/embeddings``; a base URL without a path, such as
``https://api.openai.com`` or ``http://localhost:11434``, is given the path ``/v1`` first, and any
other path is taken as it stands.

The key comes from AGENTPRINT_OPENAI_API_KEY, else from OPENAI_API_KEY; without one, requests
carry none, as local services want it. It goes to that address only: redirects are refused, not
followed. OPENAI_API_KEY, which other programs use too, never goes unencrypted to another machine;
AGENTPRINT_OPENAI_API_KEY, set for this program, goes where its user sends it. No message shows
a key.

The HTTP client is the standard library's.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn
from urllib.parse import SplitResult, urlsplit, urlunsplit

from ..base.errors import EmbedderFailed, UsageError
from .interface import Embedded, Embedder, Kind, Options, matrix, one_line, well_formed

if TYPE_CHECKING:
    from email.message import Message
    from http.client import HTTPResponse
    from urllib.error import HTTPError
    from urllib.request import OpenerDirector

    from .interface import Matrix

PREFIX = "openai:"
FORM = f"{PREFIX}<model>@<base-url>"
OWN_KEY = "AGENTPRINT_OPENAI_API_KEY"
SHARED_KEY = "OPENAI_API_KEY"

_NAME = re.compile(rf"{PREFIX}(?P<model>.+?)@(?P<url>(?i:https?)://.*)")
_LOOPBACK = re.compile(r"localhost|.+\.localhost|127(\.\d+){3}|::1")
_RETRIED = frozenset({408, 429, 500, 502, 503, 504})
_MOST_RESPONSE_BYTES = 256 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Patience:
    """How requests are cut up, and how long an answer is waited for."""

    timeout: float = 60.0
    """Seconds without a byte after which a request is given up, and seconds that a whole answer
    may take at most after its first byte."""
    attempts: int = 5
    """How often a request is sent at most."""
    first_wait: float = 0.5
    """Seconds before the second attempt; each further wait is twice as long."""
    longest_wait: float = 60.0
    """No wait is longer; a service that asks for more is given up."""
    texts: int = 64
    """How many texts one request carries at most."""
    characters: int = 200_000
    """How many characters one request carries at most, unless a single text is longer."""


class _Retry(Exception):
    """A request failed in a way that may pass."""

    def __init__(self, message: str, after: float | None = None) -> None:
        super().__init__(message)
        self.after = after
        """Seconds that the service asks to wait."""


class OpenAiService:
    """Embeddings over HTTP."""

    input_limit: int | None = None

    def __init__(
        self,
        name: str,
        environ: Mapping[str, str],
        *,
        patience: Patience | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Reads ``name``; nothing is sent yet. Raises `UsageError` for a name or an address that
        cannot be meant."""
        match = _NAME.fullmatch(name)
        if match is None:
            raise UsageError(f"the embedder {_shown(name)!r} is not of the form {FORM}")
        self._model = match["model"]
        url = _endpoint(match["url"])
        self._url = urlunsplit(url)
        self._key_name, self._key = _key(url, environ)
        self._patience = patience or Patience()
        self._sleep = sleep
        self._direct = _LOOPBACK.fullmatch(url.hostname or "") is not None
        self._opener: OpenerDirector | None = None
        self.dimensions: int | None = None
        self.id = f"{PREFIX}{self._model}@{self._url.removesuffix('/embeddings')}"
        self.fingerprint = f"{self.id}:weights-unknown"

    @property
    def cache_key(self) -> str:
        """The model's name and the address: what the service runs behind them is not known."""
        return self.fingerprint

    def embed(self, texts: Sequence[str]) -> Embedded:
        """The vectors of ``texts`` as the service makes them: float32, shape (texts, dimensions).

        An empty text is sent as one space, since services refuse empty ones.
        """
        import numpy as np

        parts = [self._request(part) for part in self._parts(texts)]
        vectors = np.concatenate(parts) if parts else matrix([], 0, self.id, self.dimensions)
        return Embedded(vectors, None)

    def _parts(self, texts: Sequence[str]) -> Iterator[list[str]]:
        part: list[str] = []
        size = 0
        for text in texts:
            sent = well_formed(text) or " "
            full = len(part) == self._patience.texts
            if part and (full or size + len(sent) > self._patience.characters):
                yield part
                part, size = [], 0
            part.append(sent)
            size += len(sent)
        if part:
            yield part

    def _request(self, texts: list[str]) -> Matrix:
        """The vectors of one request's texts."""
        body = json.dumps(
            {"model": self._model, "input": texts, "encoding_format": "float"}
        ).encode()
        wait = self._patience.first_wait
        for attempt in range(1, self._patience.attempts + 1):
            try:
                return self._vectors(self._post(body), len(texts))
            except _Retry as problem:
                if attempt == self._patience.attempts:
                    self._fail(f"{problem} ({attempt} attempts)")
                pause = wait if problem.after is None else problem.after
                if pause > self._patience.longest_wait:
                    self._fail(f"{problem}; it asks to wait {pause:.0f} seconds")
                self._sleep(pause)
                wait = min(wait * 2, self._patience.longest_wait)
        raise AssertionError("the last attempt returns or raises")

    def _post(self, body: bytes) -> bytes:
        """What the service answers to ``body``. Raises `_Retry` for what may pass."""
        import http.client
        import ssl
        import urllib.error
        import urllib.request

        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json",
            "User-Agent": "agentprint",
        }
        if self._key is not None:
            headers["Authorization"] = f"Bearer {self._key}"
        request = urllib.request.Request(self._url, data=body, headers=headers, method="POST")
        if self._opener is None:
            self._opener = _opener(self._direct)
        try:
            with self._opener.open(request, timeout=self._patience.timeout) as response:
                return self._read(response)
        except urllib.error.HTTPError as error:
            with error:
                self._refused(error.code, error.headers, _beginning(error))
        except (OSError, http.client.HTTPException) as error:
            reason = error.reason if isinstance(error, urllib.error.URLError) else error
            if isinstance(reason, ssl.SSLCertVerificationError):
                self._fail(f"its certificate cannot be trusted: {reason.verify_message}")
            if isinstance(reason, TimeoutError):
                raise _Retry(f"no answer within {self._patience.timeout:g} seconds") from None
            raise _Retry(f"the connection failed: {one_line(reason)}") from None

    def _read(self, response: HTTPResponse) -> bytes:
        deadline = time.monotonic() + self._patience.timeout
        parts: list[bytes] = []
        size = 0
        while part := response.read1(1 << 16):
            parts.append(part)
            size += len(part)
            if size > _MOST_RESPONSE_BYTES:
                self._fail(f"its answer is longer than {_MOST_RESPONSE_BYTES} bytes")
            if time.monotonic() > deadline:
                raise _Retry(f"no whole answer within {self._patience.timeout:g} seconds")
        if response.length:
            raise _Retry("the connection failed: the answer breaks off")
        return b"".join(parts)

    def _refused(self, status: int, headers: Message, body: bytes) -> NoReturn:
        """Raises what an answer other than 200 means."""
        if self._key is not None:
            body = body.replace(self._key.encode(), b"[key]")
        said = _said(body)
        message = f"it answered {status}" + (f": {said}" if said else "")
        if status in _RETRIED:
            raise _Retry(message, _retry_after(headers.get("Retry-After")))
        if status in (301, 302, 303, 307, 308):
            target = one_line(headers.get("Location", "").partition("?")[0])
            self._fail(f"{message}, a redirect to {target!r}, which is not followed: name that")
        if status in (401, 403):
            if self._key is None:
                self._fail(f"{message} (no key was sent: set {OWN_KEY})")
            self._fail(f"{message} (the key in {self._key_name} was sent)")
        if status == 404:
            self._fail(f"{message} (is the base URL right, and the model {self._model!r}?)")
        self._fail(message)

    def _vectors(self, body: bytes, count: int) -> Matrix:
        """The vectors of an answer, in the order of the texts, checked."""
        try:
            answer = json.loads(body)
        except (ValueError, RecursionError):
            self._fail("its answer is not JSON")
        data = answer.get("data") if isinstance(answer, dict) else None
        if not isinstance(data, list):
            self._fail("its answer holds no list 'data'")
        if len(data) != count:
            self._fail(f"it answered {len(data)} vectors for {count} texts")
        rows: list[object] = [None] * count
        for entry in data:
            index = entry.get("index") if isinstance(entry, dict) else None
            if type(index) is not int or not 0 <= index < count or rows[index] is not None:
                self._fail(f"the 'index' numbers of its answer are not 0 to {count - 1}")
            vector = entry.get("embedding")
            if not isinstance(vector, list):
                self._fail("an 'embedding' of its answer is no list of numbers")
            rows[index] = vector
        vectors = matrix(rows, count, f"the embedder {self.id!r}", self.dimensions)
        self.dimensions = int(vectors.shape[1])
        return vectors

    def _fail(self, message: str) -> NoReturn:
        if self._key is not None:
            message = message.replace(self._key, "[key]")
        raise EmbedderFailed(f"the embedder {self.id!r} failed: {message}") from None


def _endpoint(url: str) -> SplitResult:
    """The address that requests go to. Raises `UsageError`."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise UsageError(f"the embedder's base URL cannot be read: {one_line(error)}") from None
    if parts.username is not None or parts.password is not None:
        raise UsageError(
            f"the embedder's base URL must not hold a user or a password: set {OWN_KEY} instead"
        )
    if not host or parts.query or parts.fragment or re.search(r"[^\x21-\x7e]", url):
        raise UsageError(
            f"the embedder's base URL must be of the form https://host[:port][/path]: {FORM}"
        )
    path = parts.path.rstrip("/").removesuffix("/embeddings") or "/v1"
    return parts._replace(scheme=parts.scheme.lower(), path=f"{path}/embeddings")


def _key(url: SplitResult, environ: Mapping[str, str]) -> tuple[str, str | None]:
    """The variable that holds the key for this address, and the key, if there is one.

    Raises `UsageError` for a key that no header can carry.
    """
    private = url.scheme == "https" or _LOOPBACK.fullmatch(url.hostname or "") is not None
    names = (OWN_KEY, SHARED_KEY) if private else (OWN_KEY,)
    for name in names:
        key = environ.get(name, "").strip()
        if key:
            if re.fullmatch(r"[\x21-\x7e]+", key) is None:
                raise UsageError(f"{name} holds characters that no key has")
            return name, key
    return OWN_KEY, None


def _beginning(response: HTTPError) -> bytes:
    """The first bytes of an error's body, or nothing when they do not come."""
    from http.client import HTTPException

    try:
        return response.read(65_536)
    except (OSError, HTTPException):
        return b""


def _opener(direct: bool) -> OpenerDirector:
    """A client that follows no redirect and, for this very machine, asks no proxy."""
    from urllib import request

    opener = request.OpenerDirector()
    for handler in (
        request.ProxyHandler({} if direct else None),
        request.HTTPHandler(),
        request.HTTPSHandler(),
        request.HTTPErrorProcessor(),
        request.HTTPDefaultErrorHandler(),
    ):
        opener.add_handler(handler)
    return opener


def _retry_after(value: str | None) -> float | None:
    """Seconds that a Retry-After header asks for: a number, or a date."""
    from email.utils import parsedate_to_datetime

    if value is None:
        return None
    if re.fullmatch(r"\d{1,9}(\.\d{1,9})?", value.strip()):
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return None


def _said(body: bytes) -> str:
    """The message of an error's body, on one line."""
    text = body.decode("utf-8", "replace")
    try:
        answer = json.loads(text)
    except (ValueError, RecursionError):
        return one_line(text)
    error = answer.get("error", answer) if isinstance(answer, dict) else answer
    message = error.get("message", error) if isinstance(error, dict) else error
    return one_line(message)


def _shown(name: str) -> str:
    """``name`` without what could be a password in it."""
    return re.sub(r"//[^/]*@", "//…@", name)


def _make(name: str, options: Options) -> Embedder:
    return OpenAiService(name, options.environ)


KIND = Kind(
    form=FORM,
    matches=lambda name: name.startswith(PREFIX),
    make=_make,
)
