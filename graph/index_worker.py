"""A worker process of a sync: `python -P -m graph.index_worker`, a job and batches on stdin, results on stdout.

It is started with its own session and the safe path, so it sees neither the terminal's Ctrl-C nor a module in the
working folder. It ends when its input ends, so it never outlives the sync that started it.
"""

from __future__ import annotations

import gc
import os
import sys

from graph.errors import GraphError
from graph.index_frames import Batch, Job, Results, receive, send
from graph.index_work import Bench

__all__ = ["main"]


def main() -> None:
    """Work until the input ends."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a native library prints must not stand among the answers
    requests = sys.stdin.buffer
    job = receive(requests, Job)
    if job is None:
        return
    gc.set_threshold(50_000, 20, 20)  # facts are trees without cycles; they are freed by reference counts
    bench = Bench(job)
    send(answers, Results())  # ready: only from now on is our time counted
    while (batch := receive(requests, Batch)) is not None:
        send(answers, _results(bench, batch))
    bench.close()
    answers.close()


def _results(bench: Bench, batch: Batch) -> Results:
    try:
        return Results(tuple(bench.do(task) for task in batch.tasks))
    except GraphError as error:
        return Results(error=(type(error).__name__, str(error)))


if __name__ == "__main__":
    main()
