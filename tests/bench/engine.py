# ruff: noqa: FBT003 - C calls take what the header says
"""Served speed beside a bare llama.cpp loop, and how fast a cancel takes hold, in one run.

    python tests/bench/engine.py MODEL.gguf [--prompt-tokens 768] [--answer-tokens 96] [--rounds 2]

The bare loop is the shortest program that does the same work with the same library, threads, chunk width and wait
policy: no template, no worker, no events. Both run alternately, so that a noisy machine disturbs both; the best round
of each counts. On a machine that others use, compare the CPU times: they do not see the others.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import time
from pathlib import Path

from serve.engine.local import LocalEngine
from serve.engine.local.link import worker_environment
from serve.engine.local.machine import physical_cores
from serve.events import Finished, Heartbeat, Text
from serve.turns import GenerationRequest, Message, Mode, Role, Sampling

FILLER = "The quick brown fox jumps over the lazy dog while the sun sets behind the hills. "


def bare(path: Path, prompt_tokens: int, answer_tokens: int, threads: int) -> dict[str, float]:
    """Return prefill and decode tokens a second of a loop over the native API."""
    import llama_cpp.llama_cpp as llama

    callback = llama.llama_log_callback(lambda *_: None)
    llama.llama_log_set(callback, None)
    model = llama.llama_model_load_from_file(os.fsencode(path), llama.llama_model_default_params())
    params = llama.llama_context_default_params()
    params.n_ctx, params.n_batch, params.n_ubatch = 4096, 256, 256
    params.n_threads = params.n_threads_batch = threads
    params.flash_attn_type, params.no_perf = 0, True
    context = llama.llama_init_from_model(model, params)
    text = (FILLER * (prompt_tokens // 8)).encode()
    buffer = (llama.llama_token * (len(text) + 8))()
    count = llama.llama_tokenize(
        llama.llama_model_get_vocab(model), text, len(text), buffer, len(text) + 8, True, False
    )
    tokens = list(buffer[:count])[:prompt_tokens]
    batch = llama.llama_batch_init(256, 0, 1)

    def evaluate(part: list[int], start: int) -> None:
        batch.n_tokens = len(part)
        for i, token in enumerate(part):
            batch.token[i], batch.pos[i], batch.n_seq_id[i], batch.seq_id[i][0] = token, start + i, 1, 0
            batch.logits[i] = i == len(part) - 1
        assert llama.llama_decode(context, batch) == 0

    evaluate(tokens[:8], 0)
    llama.llama_memory_clear(llama.llama_get_memory(context), True)
    begun, used = time.perf_counter(), time.process_time()
    for at in range(0, len(tokens), 256):
        evaluate(tokens[at : at + 256], at)
    prefill = len(tokens) / (time.perf_counter() - begun)
    prefill_cpu_ms = (time.process_time() - used) * 1000 / len(tokens)
    chain = llama.llama_sampler_chain_init(llama.llama_sampler_chain_default_params())
    llama.llama_sampler_chain_add(chain, llama.llama_sampler_init_greedy())
    begun, used = time.perf_counter(), time.process_time()
    for i in range(answer_tokens):
        evaluate([llama.llama_sampler_sample(chain, context, -1)], len(tokens) + i)
    decode = answer_tokens / (time.perf_counter() - begun)
    decode_cpu_ms = (time.process_time() - used) * 1000 / answer_tokens
    return {"prefill": prefill, "decode": decode, "prefill_cpu_ms": prefill_cpu_ms, "decode_cpu_ms": decode_cpu_ms}


def bare_in_process(arguments: argparse.Namespace) -> dict[str, float]:
    """Run the bare loop in a process with the worker's environment."""
    command = [sys.executable, __file__, str(arguments.model), "--bare"]
    sizes = ["--prompt-tokens", str(arguments.prompt_tokens), "--answer-tokens", str(arguments.answer_tokens)]
    environment = worker_environment(dict(os.environ))
    done = subprocess.run([*command, *sizes], env=environment, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def request(text: str, number: int, answer_tokens: int) -> GenerationRequest:
    """Return a request whose text starts anew, so that nothing of it is cached, and whose answer is long."""
    content = f"{number}. {text}\nNow count from 1 to 1000, one number a line, and nothing else."
    return GenerationRequest(
        id=str(number),
        model="m",
        mode=Mode.ASK,
        messages=(Message(role=Role.USER, content=content),),
        sampling=Sampling(max_tokens=answer_tokens),
    )


async def served(engine: LocalEngine, asked: GenerationRequest) -> dict[str, float]:
    """Return prefill and decode tokens a second as a consumer of the events sees them."""
    begun = prefilled = time.perf_counter()
    used = used_after = cpu_ms(engine)
    finished = None
    async for event in engine.generate(asked):
        if isinstance(event, Heartbeat) and event.total and event.done == event.total:
            prefilled, used_after = time.perf_counter(), cpu_ms(engine)
        finished = event
    assert isinstance(finished, Finished), finished
    usage = finished.usage
    evaluated = usage.prompt_tokens - usage.cached_tokens
    made = usage.completion_tokens
    return {
        "prefill": evaluated / (prefilled - begun),
        "decode": made / (time.perf_counter() - prefilled),
        "prefill_cpu_ms": (used_after - used) / evaluated,
        "decode_cpu_ms": (cpu_ms(engine) - used_after) / made,
    }


def cpu_ms(engine: LocalEngine) -> float:
    """Return the processor time that the worker has used so far; its clock ticks every 10 ms."""
    fields = Path(f"/proc/{engine.worker_pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")


async def cancel_ms(engine: LocalEngine, asked: GenerationRequest, wait_for: type) -> float:
    """Return the time from closing the iterator, at the first event of a kind, to the next request's start."""
    stream = engine.generate(asked)
    async for event in stream:
        if isinstance(event, wait_for):
            break
    await asyncio.sleep(0.3)
    begun = time.perf_counter()
    await stream.aclose()
    following = engine.generate(request("", 10_000 + int(begun), 1))
    await anext(following)
    taken = (time.perf_counter() - begun) * 1000
    await following.aclose()
    return taken


async def main(arguments: argparse.Namespace) -> None:
    """Print both speeds, their ratio, and the cancel times."""
    engine = LocalEngine(arguments.model, "m")
    begun = time.perf_counter()
    await engine.start()
    print(f"load {time.perf_counter() - begun:.1f} s, {engine.describe()}")
    text = FILLER
    while await engine.count(request(text, 0, 1)) < arguments.prompt_tokens:
        text += FILLER
    runs: list[tuple[dict[str, float], dict[str, float]]] = []
    for number in range(1, arguments.rounds + 1):
        through = await served(engine, request(text, number, arguments.answer_tokens))
        runs.append((await asyncio.to_thread(bare_in_process, arguments), through))
    for what in ("prefill", "decode"):
        loop, own = max(run[0][what] for run in runs), max(run[1][what] for run in runs)
        print(f"{what}: bare {loop:.1f} tok/s, served {own:.1f} tok/s, ratio {own / loop:.3f}")
        loop, own = (min(run[i][f"{what}_cpu_ms"] for run in runs) for i in (0, 1))
        print(f"{what}, CPU: bare {loop:.2f} ms/token, served {own:.2f} ms/token, ratio {own / loop:.3f}")
    print(f"cancel in prefill: {await cancel_ms(engine, request(text, 90, 50), Heartbeat):.0f} ms")
    print(f"cancel in decode: {await cancel_ms(engine, request('', 91, 500), Text):.0f} ms")
    await engine.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("--prompt-tokens", type=int, default=768)
    parser.add_argument("--answer-tokens", type=int, default=96)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--bare", action="store_true", help="run the bare loop alone and print JSON")
    given = parser.parse_args()
    if given.bare:
        print(json.dumps(bare(given.model, given.prompt_tokens, given.answer_tokens, physical_cores())))
    else:
        asyncio.run(main(given))
