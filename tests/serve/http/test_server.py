"""Binding, ports in use, signals."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading

import pytest

from serve.errors import BindError, EngineError
from serve.http.app import build_app
from serve.http.server import bind, run
from tests.requirements import requirement
from tests.serving import DEADLINE_S, scripted, service_of


def _port(live) -> int:
    return int(live.url.rsplit(":", 1)[1])


@requirement("server.port-in-use")
def test_a_port_held_by_ourselves_says_so_and_where(live):
    """The same root: there is nothing to start."""
    with pytest.raises(BindError, match=rf"Roteiro already serves /repo at {live.url}"):
        bind("127.0.0.1", _port(live), "/repo")


@requirement("server.port-in-use")
def test_a_port_held_for_another_root_says_which(live):
    """Another repository needs another port."""
    with pytest.raises(BindError, match=r"taken by a Roteiro that serves /repo\. Give another port"):
        bind("127.0.0.1", _port(live), "/other")


@requirement("server.port-in-use")
def test_a_port_held_by_another_program_is_a_plain_sentence():
    """Whatever it is, it is not asked for more than a health page."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        other.settimeout(DEADLINE_S)

        def hang_up() -> None:
            other.accept()[0].close()

        thread = threading.Thread(target=hang_up)
        thread.start()
        port = other.getsockname()[1]
        with pytest.raises(BindError, match=rf"127\.0\.0\.1:{port} cannot be used: Address already in use"):
            bind("127.0.0.1", port)
        thread.join()


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.1", "::", "example.org", ""])  # noqa: S104 (it is refused)
def test_an_address_that_others_can_reach_is_refused(host):
    """Until there is authentication."""
    with pytest.raises(BindError, match="is not this machine's own address"):
        bind(host, 0)


def test_ipv6_loopback_is_ours(tmp_path):
    """With its brackets in the Host header."""
    service = service_of(scripted(tmp_path, [{"text": "x"}]))
    service.listen_on("::1", 8017)
    assert service.hosts == {"[::1]:8017"}
    assert service.url == "http://[::1]:8017"


def test_an_engine_that_does_not_start_is_the_callers_error(tmp_path):
    """The sentence of the engine reaches the command line."""
    engine = scripted(tmp_path, [{"text": "x"}])

    async def fail() -> None:
        raise EngineError("The file is truncated.")

    engine.start = fail
    with pytest.raises(EngineError, match="truncated"):
        run(build_app(service_of(engine)), "127.0.0.1", 0, lambda _: None)


_PROGRAM = """
import sys
from pathlib import Path
from tests.serving import scripted, service_of
from serve.http.app import build_app
from serve.http.server import run
engine = scripted(Path(sys.argv[1]), [{"text": "x"}])
sys.exit(run(build_app(service_of(engine)), "127.0.0.1", 0, lambda url: print(url, flush=True)))
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_server_in_order(tmp_path, number):
    """It says where it serves, and ends with 0."""
    from pathlib import Path

    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    with subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, str(tmp_path)], stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("http://127.0.0.1:")
        process.send_signal(number)
        assert process.wait(DEADLINE_S) == 0
