"""The embeddings service, against a real HTTP server on this machine."""

from __future__ import annotations

import json
import shutil
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from agentprint_cli.base.errors import EXIT_NOT_MEASURED, EmbedderFailed, UsageError
from agentprint_cli.embedding import make_embedder
from agentprint_cli.embedding.openai_api import OpenAiService, Patience

KEY = "sk-very-secret-0123456789"


@dataclass
class Request:
    """What the server received."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


Answer = Callable[[BaseHTTPRequestHandler, dict[str, Any]], None]


@dataclass
class Service:
    """A server that answers as it is told, request by request, and then rightly."""

    server: ThreadingHTTPServer
    answers: list[Answer] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}"


def vector(text: str) -> list[float]:
    return [float(len(text)), float(text.count("e")), 0.5]


def send(handler: BaseHTTPRequestHandler, status: int, body: object, **headers: str) -> None:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    handler.send_response(status)
    handler.send_header("Content-Length", str(len(data)))
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    handler.wfile.write(data)


def right(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
    data = [
        {"object": "embedding", "index": index, "embedding": vector(text)}
        for index, text in enumerate(body["input"])
    ]
    send(handler, 200, {"object": "list", "data": data[::-1], "model": body["model"]})


def fixed(status: int, body: object, **headers: str) -> Answer:
    return lambda handler, _: send(handler, status, body, **headers)


def slow(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
    time.sleep(0.6)
    right(handler, body)


def dripping(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    for _ in range(8):
        handler.wfile.write(b" ")
        time.sleep(0.1)


def broken_off(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"data": [')


def hanging_up(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
    handler.connection.shutdown(socket.SHUT_RDWR)


@pytest.fixture
def service() -> Iterator[Service]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            made.requests.append(Request(self.path, dict(self.headers), body))
            (made.answers.pop(0) if made.answers else right)(self, body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        def handle_error(self, request: object, client_address: object) -> None:
            assert isinstance(sys.exception(), OSError)  # the client has gone

    with Server(("127.0.0.1", 0), Handler) as server:
        made = Service(server)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield made
        server.shutdown()
        thread.join()


def client(
    service: Service,
    *,
    timeout: float = 5,
    attempts: int = 3,
    key: str | None = KEY,
    waits: list[float] | None = None,
    path: str = "/v1",
    **more: Any,
) -> OpenAiService:
    environ = {} if key is None else {"OPENAI_API_KEY": key}
    return OpenAiService(
        f"openai:test-model@{service.url}{path}",
        environ,
        patience=Patience(timeout=timeout, attempts=attempts, **more),
        sleep=([] if waits is None else waits).append,
    )


def failure(embedder: OpenAiService, texts: list[str] | None = None) -> str:
    with pytest.raises(EmbedderFailed) as caught:
        embedder.embed(texts or ["one", "three"])
    assert caught.value.exit_code == EXIT_NOT_MEASURED
    message = str(caught.value)
    assert KEY not in message
    assert "\n" not in message
    return message


def test_success(service: Service) -> None:
    embedder = client(service)
    assert embedder.dimensions is None
    made = embedder.embed(["one", "three", ""])
    assert made.vectors.tolist() == [[3, 1, 0.5], [5, 2, 0.5], [1, 0, 0.5]]
    assert made.vectors.dtype == "float32"
    assert made.cut is None
    assert embedder.dimensions == 3
    (request,) = service.requests
    assert request.path == "/v1/embeddings"
    assert request.headers["Authorization"] == f"Bearer {KEY}"
    assert request.body == {
        "model": "test-model",
        "input": ["one", "three", " "],
        "encoding_format": "float",
    }


def test_what_it_says_of_itself(service: Service) -> None:
    embedder = client(service)
    assert embedder.id == f"openai:test-model@{service.url}/v1"
    assert embedder.fingerprint == f"{embedder.id}:weights-unknown"
    assert embedder.input_limit is None
    assert KEY not in repr((embedder.id, embedder.fingerprint, embedder.cache_key))


def test_no_texts_no_request(service: Service) -> None:
    assert client(service).embed([]).vectors.shape == (0, 0)
    assert service.requests == []


def test_texts_go_out_in_batches(service: Service) -> None:
    texts = [f"text {number}" for number in range(7)]
    made = client(service, texts=3).embed(texts)
    assert made.vectors.tolist() == [vector(text) for text in texts]
    assert [len(request.body["input"]) for request in service.requests] == [3, 3, 1]


def test_a_request_is_not_too_long(service: Service) -> None:
    client(service, characters=10).embed(["aaaa", "bbbb", "cccc", "d" * 50, "e"])
    assert [request.body["input"] for request in service.requests] == [
        ["aaaa", "bbbb"],
        ["cccc"],
        ["d" * 50],
        ["e"],
    ]


def test_lone_surrogates_are_replaced(service: Service) -> None:
    client(service).embed(["\ud83d", "\ud83d\ude42", "é"])
    assert service.requests[0].body["input"] == ["\ufffd", "🙂", "é"]


@pytest.mark.parametrize(
    ("path", "requested"),
    [
        ("", "/v1/embeddings"),
        ("/", "/v1/embeddings"),
        ("/v1", "/v1/embeddings"),
        ("/v1/", "/v1/embeddings"),
        ("/v1/embeddings", "/v1/embeddings"),
        ("/openai/v2", "/openai/v2/embeddings"),
    ],
)
def test_base_urls_with_and_without_a_path(service: Service, path: str, requested: str) -> None:
    client(service, path=path).embed(["one"])
    assert service.requests[0].path == requested


def test_a_model_with_an_at_sign(service: Service) -> None:
    OpenAiService(f"openai:@cf/baai/bge@{service.url}", {}).embed(["one"])
    assert service.requests[0].body["model"] == "@cf/baai/bge"


def test_no_key_no_header(service: Service) -> None:
    client(service, key=None).embed(["one"])
    assert "Authorization" not in service.requests[0].headers


def test_its_own_key_comes_first(service: Service) -> None:
    environ = {"OPENAI_API_KEY": "other", "AGENTPRINT_OPENAI_API_KEY": " mine\n"}
    make_embedder(f"openai:m@{service.url}", environ=environ).embed(["one"])
    assert service.requests[0].headers["Authorization"] == "Bearer mine"


@pytest.mark.parametrize(
    ("url", "variable", "sent"),
    [
        ("https://api.example.com", "OPENAI_API_KEY", True),
        ("http://localhost:11434", "OPENAI_API_KEY", True),
        ("http://[::1]:8000/v1", "OPENAI_API_KEY", True),
        ("http://api.example.com", "OPENAI_API_KEY", False),
        ("http://localhost.example.com", "OPENAI_API_KEY", False),
        ("http://127.0.0.1.example.com", "OPENAI_API_KEY", False),
        ("http://api.example.com", "AGENTPRINT_OPENAI_API_KEY", True),
    ],
)
def test_the_shared_key_does_not_leave_unencrypted(url: str, variable: str, sent: bool) -> None:
    embedder = OpenAiService(f"openai:m@{url}", {variable: KEY})
    assert (embedder._key == KEY) is sent


def test_too_many_requests_then_success(service: Service) -> None:
    service.answers = [
        fixed(429, {"error": {"message": "slow down"}}, Retry_After="7"),
        fixed(503, b"", Retry_After=formatdate(time.time() + 20, usegmt=True)),
    ]
    waits: list[float] = []
    made = client(service, waits=waits).embed(["one"])
    assert made.vectors.tolist() == [vector("one")]
    assert waits[0] == 7.0
    assert 15 < waits[1] <= 20
    assert len(service.requests) == 3


def test_waits_grow_and_end(service: Service) -> None:
    service.answers = [fixed(500, b"oops\n<b>")] * 9
    waits: list[float] = []
    message = failure(client(service, attempts=6, waits=waits, longest_wait=3))
    assert message.endswith("failed: it answered 500: oops <b> (6 attempts)")
    assert waits == [0.5, 1, 2, 3, 3]
    assert len(service.requests) == 6


def test_a_service_that_asks_for_too_long_a_wait(service: Service) -> None:
    service.answers = [fixed(429, {"error": "quota"}, Retry_After="3600")]
    assert "it answered 429: quota; it asks to wait 3600 seconds" in failure(client(service))


@pytest.mark.parametrize("value", ["soon", "-5", "nan", "", "Wed, 99 Xxx 2026"])
def test_a_retry_after_that_says_nothing(service: Service, value: str) -> None:
    service.answers = [fixed(429, b"", Retry_After=value)]
    waits: list[float] = []
    client(service, waits=waits).embed(["one"])
    assert waits == [0.5]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (slow, "no answer within 0.3 seconds (2 attempts)"),
        (dripping, "no whole answer within 0.3 seconds (2 attempts)"),
        (broken_off, "the connection failed: the answer breaks off (2 attempts)"),
        (hanging_up, "the connection failed: Remote end closed connection without response"),
    ],
)
def test_a_connection_that_fails(service: Service, answer: Answer, said: str) -> None:
    service.answers = [answer, answer]
    assert said in failure(client(service, timeout=0.3, attempts=2))
    assert len(service.requests) == 2


def test_a_connection_that_fails_once(service: Service) -> None:
    service.answers = [hanging_up, broken_off]
    assert client(service).embed(["one"]).vectors.tolist() == [vector("one")]


def test_nobody_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    embedder = OpenAiService(
        f"openai:m@http://127.0.0.1:{port}", {}, patience=Patience(attempts=2), sleep=lambda _: None
    )
    assert "the connection failed: [Errno" in failure(embedder)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"<html>", "its answer is not JSON"),
        (b"\xff", "its answer is not JSON"),
        (b"", "its answer is not JSON"),
        (b"[" * 100_000, "its answer is not JSON"),
        ([], "holds no list 'data'"),
        ({"data": {}}, "holds no list 'data'"),
        ({"data": []}, "it answered 0 vectors for 2 texts"),
        ({"data": [{"index": 0, "embedding": [1]}]}, "it answered 1 vectors for 2 texts"),
        ({"data": [{"index": 0, "embedding": [1]}] * 3}, "it answered 3 vectors for 2 texts"),
        ({"data": [{"index": 0, "embedding": [1]}] * 2}, "are not 0 to 1"),
        ({"data": [{"index": 1, "embedding": [1]}, {"index": 2, "embedding": [1]}]}, "0 to 1"),
        ({"data": [{"embedding": [1]}] * 2}, "are not 0 to 1"),
        ({"data": [{"index": False, "embedding": [1]}] * 2}, "are not 0 to 1"),
        ({"data": [1, 2]}, "are not 0 to 1"),
        ({"data": [{"index": 0}, {"index": 1}]}, "no list of numbers"),
        ({"data": [{"index": 0, "embedding": "AAA="}] * 2}, "no list of numbers"),
    ],
)
def test_answers_that_are_none(service: Service, body: object, said: str) -> None:
    service.answers = [fixed(200, body)]
    assert said in failure(client(service))
    assert len(service.requests) == 1


@pytest.mark.parametrize(
    ("vectors", "said"),
    [
        ("[[1, 2], [NaN, 4]]", "not finite in the vector of text 2 of 2"),
        ("[[1e999, 2], [3, 4]]", "not finite in the vector of text 1 of 2"),
        ("[[1, 2], [3]]", "form no matrix"),
        ('[[1, 2], ["3", 4]]', "where numbers are expected"),
        ("[[1, null], [3, 4]]", "where numbers are expected"),
        ("[[], []]", "shape 2x0"),
    ],
)
def test_vectors_that_are_none(service: Service, vectors: str, said: str) -> None:
    first, second = (json.dumps(vector) for vector in json.loads(vectors))
    body = (
        f'{{"data": [{{"index": 0, "embedding": {first}}}, {{"index": 1, "embedding": {second}}}]}}'
    )
    service.answers = [fixed(200, body.encode())]
    assert said in failure(client(service))


def test_dimensions_that_change(service: Service) -> None:
    embedder = client(service)
    embedder.embed(["one"])
    service.answers = [fixed(200, {"data": [{"index": 0, "embedding": [1.0]}]})]
    assert "vectors of 1 dimensions, 3 expected" in failure(embedder, ["two"])


def test_a_wrong_key_is_not_shown(service: Service) -> None:
    service.answers = [fixed(401, {"error": {"message": f"Incorrect API key provided: {KEY}"}})]
    message = failure(client(service))
    assert message.endswith(
        "it answered 401: Incorrect API key provided: [key] (the key in OPENAI_API_KEY was sent)"
    )
    assert len(service.requests) == 1


def test_a_missing_key_says_where_to_set_it(service: Service) -> None:
    service.answers = [fixed(401, b"")]
    message = failure(client(service, key=None))
    assert message.endswith("it answered 401 (no key was sent: set AGENTPRINT_OPENAI_API_KEY)")


def test_a_model_that_is_not_there(service: Service) -> None:
    service.answers = [fixed(404, {"error": {"message": "model not found"}})]
    assert "404: model not found (is the base URL right, and the model" in failure(client(service))


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_not_followed(service: Service, status: int) -> None:
    """Neither to another host, which would be handed the key, nor anywhere else."""
    other = f"http://localhost:{service.server.server_port}/v1/embeddings"
    service.answers = [fixed(status, b"", Location=f"{other}?token=x")]
    message = failure(client(service))
    assert f"it answered {status}, a redirect to '{other}', which is not followed" in message
    assert len(service.requests) == 1


def test_a_redirect_to_nowhere(service: Service) -> None:
    service.answers = [fixed(302, b"", Location="http://[")]
    assert "which is not followed" in failure(client(service))


@pytest.mark.skipif(shutil.which("openssl") is None, reason="makes its certificate with openssl")
def test_a_certificate_that_nobody_signed(service: Service, tmp_path: Path) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "cert.pem"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost"),
            *("-keyout", key, "-out", certificate),
        ],
        check=True,
        capture_output=True,
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    service.server.socket = context.wrap_socket(service.server.socket, server_side=True)
    url = f"https://localhost:{service.server.server_port}"
    message = failure(OpenAiService(f"openai:m@{url}", {"OPENAI_API_KEY": KEY}))
    assert "its certificate cannot be trusted: self-signed certificate" in message
    assert service.requests == []


def test_a_proxy_is_not_asked_for_this_machine(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    client(service).embed(["one"])
    assert len(service.requests) == 1


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("openai:", "is not of the form"),
        ("openai:model", "is not of the form"),
        ("openai:@https://api.example.com", "is not of the form"),
        ("openai:model@api.example.com", "is not of the form"),
        ("openai:model@ftp://api.example.com", "is not of the form"),
        ("openai:model@https://", "must be of the form"),
        ("openai:model@https:///v1", "must be of the form"),
        ("openai:model@https://api.example.com/v1?key=x", "must be of the form"),
        ("openai:model@https://api.example.com/v1#x", "must be of the form"),
        ("openai:model@https://api.example.com/a b", "must be of the form"),
        ("openai:model@https://bücher.example", "must be of the form"),
        ("openai:model@https://api.example.com:no", "cannot be read"),
        ("openai:model@https://[::1", "cannot be read"),
        ("openai:model@https://me:hunter2@api.example.com", "must not hold a user or a password"),
        ("openai:m\n@https://api.example.com", "is not of the form"),
    ],
)
def test_names_that_cannot_be_meant(name: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        make_embedder(name, environ={})
    assert said in str(caught.value)
    assert "hunter2" not in str(caught.value)


def test_a_key_that_no_header_can_carry(service: Service) -> None:
    with pytest.raises(UsageError) as caught:
        client(service, key="a key\r\nX: y")
    assert str(caught.value) == "OPENAI_API_KEY holds characters that no key has"
