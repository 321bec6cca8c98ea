"""The server that may already run here: found when it is ours, ignored when it is anything else."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from roteiro.errors import RoteiroError
from roteiro.running import find_running, posted


class Handler(BaseHTTPRequestHandler):
    """Says what the test wrote."""

    def do_GET(self) -> None:
        self._say(self.server.said)

    def do_POST(self) -> None:
        self.server.received = self.rfile.read(int(self.headers["Content-Length"]))
        self._say(self.server.said)

    def _say(self, said: tuple[int, bytes]) -> None:
        self.send_response(said[0])
        self.send_header("Content-Length", str(len(said[1])))
        self.end_headers()
        self.wfile.write(said[1])

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def server():
    """Run a server while a test lasts."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        http.said = (200, b"")
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield http
        http.shutdown()
        thread.join()


def address(server):
    return f"127.0.0.1:{server.server_address[1]}"


def test_a_roteiro_of_this_root_is_found(server, tmp_path):
    """By name and root."""
    server.said = (200, b'{"name":"roteiro","root":"%s","model":"m","more":1}' % str(tmp_path).encode())
    found = find_running(address(server), tmp_path)
    assert found is not None
    assert found.model == "m"


@pytest.mark.parametrize(
    "said",
    [b'{"name":"roteiro","root":"/elsewhere"}', b'{"name":"other"}', b"<html>", b"[]", b"", b'{"name": 1}'],
)
def test_anything_else_is_not_asked(server, tmp_path, said):
    """Another root, another program, no JSON at all."""
    server.said = (200, said)
    assert find_running(address(server), tmp_path) is None


def test_nobody_there_is_no_error(tmp_path):
    """The usual case."""
    assert find_running("127.0.0.1:9", tmp_path) is None


def test_lines_come_back_as_they_are(server):
    """Without their ends."""
    server.said = (200, b"data: 1\n\ndata: 2\r\n")
    with posted(address(server), "/api/ask", b"{}") as lines:
        assert list(lines) == ["data: 1", "", "data: 2"]
    assert server.received == b"{}"


@pytest.mark.parametrize(
    ("body", "said"),
    [(b'{"error":{"message":"No model is loaded here."}}', "No model is loaded here."), (b"oops", "oops")],
)
def test_a_refusal_is_told_in_the_servers_own_words(server, body, said):
    """From the envelope, or the body as it is."""
    server.said = (503, body)
    with pytest.raises(RoteiroError, match=said), posted(address(server), "/api/ask", b"{}"):
        pass
