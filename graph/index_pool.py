"""Work on many files at once: in worker processes, or in this one when there are few.

A process is started afresh (never forked from a server with threads) and may die or hang on a hostile file: then the
files of its batch are tried one by one in a new process, and the one that kills it again is skipped with that reason.
The order of results is not the order of tasks.
"""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from typing import BinaryIO

from graph import errors
from graph.errors import GraphError
from graph.index_frames import Batch, Done, Job, Results, Task, failed, receive, send
from graph.index_work import Bench

__all__ = ["work_on"]

_FEW_FILES = 24
_FEW_BYTES = 600_000
"""Below both, extraction takes less than starting processes (0.3 CPU s for two)."""
_BATCH_FILES = 48
_BATCH_BYTES = 400_000
_BATCH_TIMEOUT_S = 120.0
_FILE_TIMEOUT_S = 30.0
"""A file of the largest size takes 1 to 2 s; the slowest found in fuzzing 5 s."""
_START_TIMEOUT_S = 120.0
_QUEUED_BATCHES = 4
"""Results wait for the writer in memory: about 1 MB a batch."""


def work_on(tasks: Sequence[tuple[Task, int]], job: Job, workers: int) -> Iterator[Sequence[Done]]:
    """Yield what became of (task, size in bytes), some files at a time.

    Raises:
        GraphError: something that concerns every file, such as a missing grammar.

    """
    if len(tasks) <= _FEW_FILES and sum(size for _, size in tasks) <= _FEW_BYTES:
        yield from _in_process(tasks, job)
        return
    pool = _Pool(_batches(tasks), job, workers or os.cpu_count() or 1)
    try:
        yield from pool.results()
    finally:
        pool.close()


def _in_process(tasks: Sequence[tuple[Task, int]], job: Job) -> Iterator[Sequence[Done]]:
    if not tasks:
        return
    bench = Bench(job)
    try:
        for task, _ in tasks:
            yield (bench.do(task),)
    finally:
        bench.close()


def _batches(tasks: Sequence[tuple[Task, int]]) -> Iterator[tuple[Task, ...]]:
    """Cut tasks into batches, the largest files first, so that no worker is left with a long one at the end."""
    batch: list[Task] = []
    weight = 0
    for task, size in sorted(tasks, key=lambda pair: (-pair[1], pair[0].path)):
        batch.append(task)
        weight += size
        if len(batch) >= _BATCH_FILES or weight >= _BATCH_BYTES:
            yield tuple(batch)
            batch, weight = [], 0
    if batch:
        yield tuple(batch)


class _Pool:
    """One thread for each worker process; the results meet in a queue."""

    def __init__(self, batches: Iterator[tuple[Task, ...]], job: Job, workers: int) -> None:
        self._batches = deque(batches)
        self._job = job
        self._answers: queue.Queue[tuple[Done, ...] | BaseException | None] = queue.Queue(_QUEUED_BATCHES)
        self._stopped = threading.Event()
        count = max(1, min(workers, len(self._batches)))
        self._threads = [threading.Thread(target=self._feed, name=f"index-{n}", daemon=True) for n in range(count)]
        for thread in self._threads:
            thread.start()

    def results(self) -> Iterator[tuple[Done, ...]]:
        working = len(self._threads)
        while working:
            answer = self._answers.get()
            if answer is None:
                working -= 1
            elif isinstance(answer, BaseException):
                raise answer
            else:
                yield answer

    def close(self) -> None:
        """End the processes and wait for the threads, whatever they are doing."""
        self._stopped.set()
        self._batches.clear()
        while any(thread.is_alive() for thread in self._threads):
            try:
                self._answers.get(timeout=0.02)  # a thread may be waiting for room in the queue
            except queue.Empty:
                continue

    def _feed(self) -> None:
        worker = _Worker(self._job, self._stopped)
        try:
            while not self._stopped.is_set():
                try:
                    batch = self._batches.popleft()
                except IndexError:
                    break
                self._answers.put(self._done(worker, batch))
        except BaseException as error:  # noqa: BLE001 - carried to the thread that waits for results
            self._answers.put(error)
        finally:
            worker.end()
            self._answers.put(None)

    def _done(self, worker: _Worker, batch: tuple[Task, ...]) -> tuple[Done, ...]:
        done = worker.ask(batch, _BATCH_TIMEOUT_S)
        return done if done is not None else tuple(self._alone(worker, task) for task in batch)

    def _alone(self, worker: _Worker, task: Task) -> Done:
        if self._stopped.is_set():
            return failed(task.path, "the sync was ended")
        done = worker.ask((task,), _FILE_TIMEOUT_S)
        return done[0] if done else failed(task.path, f"the parser crashed on it or took over {_FILE_TIMEOUT_S:.0f} s")


class _Worker:
    """A worker process, started when first asked and again after it died."""

    def __init__(self, job: Job, stopped: threading.Event) -> None:
        self._job = job
        self._stopped = stopped
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, tasks: tuple[Task, ...], timeout_s: float) -> tuple[Done, ...] | None:
        """Return what became of the tasks; None when the process died or took too long (it is gone then).

        Raises:
            GraphError: what the worker says concerns every file.

        """
        process = self._process or self._start()
        results = _within(process, timeout_s, Batch(tasks))
        if results is None:
            self._kill()
            return None
        if results.error is not None:
            raise _error_of(results.error)
        return results.done

    def end(self) -> None:
        """End the process: kindly after its work, at once when the sync is stopped."""
        process = self._process
        if process is None:
            return
        if self._stopped.is_set():
            process.kill()
        requests, answers = _pipes(process)
        requests.close()
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        answers.close()
        self._process = None

    def _start(self) -> subprocess.Popen[bytes]:
        self._process = process = subprocess.Popen(
            [sys.executable, "-P", "-m", "graph.index_worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | {"PYTHONSAFEPATH": "1"},
            start_new_session=True,
        )
        if _within(process, _START_TIMEOUT_S, self._job) is None:
            self._kill()
            raise GraphError(
                "a worker process did not start; what it printed stands above. "
                "Try `python -P -m graph.index_worker </dev/null`, which must end without a word."
            )
        return process

    def _kill(self) -> None:
        process = self._process
        if process is not None:
            process.kill()
            process.wait()
            for pipe in _pipes(process):
                try:
                    pipe.close()
                except BrokenPipeError:
                    continue  # what was left in the buffer has no reader any more
        self._process = None


def _within(process: subprocess.Popen[bytes], timeout_s: float, message: Job | Batch) -> Results | None:
    """Send a message and return the answer; None when the process dies first or is killed at the time limit."""
    deadline = threading.Timer(timeout_s, process.kill)
    deadline.daemon = True
    deadline.start()
    try:
        requests, answers = _pipes(process)
        send(requests, message)
        return receive(answers, Results)
    except OSError:
        return None  # it died before it had read everything
    finally:
        deadline.cancel()


def _pipes(process: subprocess.Popen[bytes]) -> tuple[BinaryIO, BinaryIO]:
    if process.stdin is None or process.stdout is None:
        raise AssertionError("a worker is started with both pipes")
    return process.stdin, process.stdout  # type: ignore[return-value] # IO[bytes] is a BinaryIO at run time


def _error_of(told: tuple[str, str]) -> GraphError:
    """Return the error that a worker named; its class is looked up in our own tree only."""
    found = getattr(errors, told[0], GraphError) if told[0] in errors.__all__ else GraphError
    error: GraphError = found.__new__(found)
    error.args = (told[1],)
    return error
