"""What the local engine takes in memory, and how long states take to save and to put back.

    python tests/bench/engine_memory.py MODEL.gguf [--preamble-tokens 2000]

The server without a model, with an idle one, with windows of several sizes, after an unload: the memory that is its
own (not shared with others, not of the model's file) and the memory in all. Then one state of a preamble: its bytes,
and the milliseconds to save it, to restore it, and to read it from the disk; and what each further lane takes.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from pathlib import Path

import httpx
from engine_cache import preamble
from engine_servers import Roteiro, chat, tree

MIB = 1024 * 1024


def memory_mib(pid: int) -> tuple[float, float]:
    """Return the private memory of a process and all below it that is no file's, and all that is resident of them."""
    own = resident = 0
    for one in tree(pid):
        for line in Path(f"/proc/{one}/smaps_rollup").read_text(encoding="ascii").splitlines():
            name, _, rest = line.partition(":")
            if name == "Anonymous":
                own += int(rest.split()[0])
            if name == "Rss":
                resident += int(rest.split()[0])
    return own / 1024, resident / 1024


def show(case: str, pid: int) -> None:
    """Print the memory of a server in a state."""
    own, resident = memory_mib(pid)
    print(f"{case}: {own:.0f} MiB of its own, {resident:.0f} MiB resident", flush=True)


def server_memory(given: argparse.Namespace, folder: Path) -> None:
    """Print what the processes of a server take."""
    for slots in (1, 2):
        server = Roteiro(given.model, "--slots", str(slots), "--folder", str(folder))
        server.start()
        try:
            show(f"{slots} slots, the model idle", server.pid)
            for tokens in (500, given.preamble_tokens, 3 * given.preamble_tokens):
                said = chat(server, [("user", "Hello.")], system=preamble(tokens, slots), answer_tokens=2)
                show(f"{slots} slots, after a prompt of {said.prompt_tokens} tokens", server.pid)
            if slots == 1:
                url = f"{server.url}/v1/models/unload"
                httpx.post(url, json={"model": "m"}, timeout=60, trust_env=False).raise_for_status()
                show("the server after the model was unloaded", server.pid)
        finally:
            server.stop()


def states(given: argparse.Namespace, folder: Path) -> None:
    """Print the bytes and the times of a state."""
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # as in a worker, before its library is loaded
    from serve.engine.local.context import Context, Work
    from serve.engine.local.kv import KvTypes
    from serve.engine.local.machine import physical_cores
    from serve.engine.local.native import NativeModel
    from serve.engine.local.snapshot_files import SnapshotFiles

    model = NativeModel(given.model)
    context = Context(model, 8_192, physical_cores(), 1)
    (lane,) = context.lanes
    tokens = [*range(100, 100 + given.preamble_tokens)]
    context.reserve(len(tokens))
    for at in range(0, len(tokens), 256):
        context.evaluate([Work(lane, tokens[at : at + 256])])
    saving, restoring = [], []
    for _ in range(10):
        begun = time.perf_counter()
        state = lane.save()
        saving.append((time.perf_counter() - begun) * 1000)
        begun = time.perf_counter()
        assert lane.restore(state, tokens, [len(tokens)])
        restoring.append((time.perf_counter() - begun) * 1000)
    files, key = SnapshotFiles(folder, 1 << 40), b"k" * 24
    files.write(key, [len(tokens)], state, is_base=True)
    files.close()
    begun = time.perf_counter()
    assert files.read(key, [len(tokens)]) is not None
    reading = (time.perf_counter() - begun) * 1000
    print(
        f"a state of {len(tokens)} tokens: {len(state) / MIB:.1f} MiB, {len(state) / len(tokens) / 1024:.1f} KiB each;"
        f" saved in {statistics.median(saving):.1f} ms, restored in {statistics.median(restoring):.1f} ms,"
        f" read from the disk and checked in {reading:.1f} ms"
    )
    print(f"a window: {model.kv_bytes_per_token(KvTypes()) / 1024:.1f} KiB a token and lane")
    context.close()
    model.close()


def main(given: argparse.Namespace, folder: Path) -> None:
    """Print all figures."""
    server = Roteiro(given.model, "--lazy")
    server.start()
    show("the server without a model", server.pid)
    server.stop()
    server_memory(given, folder)
    states(given, folder)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("--preamble-tokens", type=int, default=2_000)
    with tempfile.TemporaryDirectory() as scratch:
        main(parser.parse_args(), Path(scratch))
