"""How many JSON Schemas a model answers under, validly, and what is refused.

    python tests/bench/schemas.py MODEL.gguf SUITE_FOLDER [--limit 200] [--max-tokens 512]

SUITE_FOLDER holds files of the JSON Schema test suite (`tests/draft2020-12`); the parameters of the tools that captured
clients bring come on top. Where an answer ended by itself its document must be valid, and where its tokens ran out too
(it was brought to its end); a refusal must name its keyword.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import jsonschema
import msgspec

from serve.engine.local import LocalEngine
from serve.events import Failed, Finished, FinishReason, Text
from serve.settings import EngineSettings
from serve.turns import AnswerFormat, GenerationRequest, Message, Mode, Role, Sampling

CLIENTS = Path(__file__).parents[1] / "fixtures" / "clients"


def schemas(suite: Path, clients: Path = CLIENTS) -> Iterator[object]:
    """Yield the schemas of captured clients, then those of the suite, each once."""
    seen: set[str] = set()
    found: list[object] = []
    for path in sorted(clients.glob("*.json")):
        found += _carried(json.loads(path.read_text()).get("body"))
    for path in sorted(suite.glob("*.json")):
        found += [case["schema"] for case in json.loads(path.read_text())]
    for schema in found:
        key = json.dumps(schema, sort_keys=True)
        if key not in seen and "http" not in key.replace("https://json-schema.org/draft", ""):
            seen.add(key)
            yield schema


def _carried(body: object) -> Iterator[object]:
    """Yield the schemas of a request: of its tools and of the format it wants."""
    if isinstance(body, list):
        for one in body:
            yield from _carried(one)
    if isinstance(body, dict):
        for key, one in body.items():
            is_schema = key in {"parameters", "input_schema", "schema"} and isinstance(one, dict)
            yield from [one] if is_schema else _carried(one)


def _without_descriptions(schema: object) -> object:
    """Return a schema as it is shown: the captured clients' descriptions are filler, which a small model repeats."""
    if isinstance(schema, dict):
        return {key: _without_descriptions(one) for key, one in schema.items() if key != "description"}
    return [_without_descriptions(one) for one in schema] if isinstance(schema, list) else schema


async def main(given: argparse.Namespace) -> None:
    """Print how the answers ended, and every document that is not valid."""
    engine = LocalEngine(given.model, "m", EngineSettings(threads=given.threads))
    await engine.start()
    ends: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    invalid: Counter[str] = Counter()
    for schema in islice(schemas(given.suite, given.clients), given.first, given.last):
        if ends["stop"] + ends["length"] + ends["crashed"] >= given.limit:
            break
        shown = json.dumps(_without_descriptions(schema))[:1500]
        text = f"Answer with a JSON document of this schema, as short as you can: {shown}"
        request = GenerationRequest(
            id="b",
            model="m",
            mode=Mode.GENERAL,
            messages=(Message(role=Role.USER, content=text),),
            sampling=Sampling(max_tokens=given.max_tokens, seed=1),
            format=AnswerFormat(kind="json_schema", schema=msgspec.Raw(json.dumps(schema).encode())),
        )
        events = [event async for event in engine.generate(request)]
        last = events[-1]
        if isinstance(last, Failed):
            is_refusal = last.status == 400
            ends["refused" if is_refusal else "crashed"] += 1
            refused[last.message.split("'")[1] if is_refusal and "'" in last.message else last.message] += 1
            continue
        assert isinstance(last, Finished)
        end = "stop" if last.reason is FinishReason.STOP else "length"
        ends[end] += 1
        said = "".join(event.text for event in events if isinstance(event, Text))
        try:
            jsonschema.Draft202012Validator(schema).validate(json.loads(said))
        except (ValueError, jsonschema.ValidationError) as error:
            invalid[end] += 1
            print("INVALID", end, json.dumps(schema)[:200], said[:200], str(error)[:200], flush=True)
        if sum(ends.values()) % 25 == 0:
            print(dict(ends), flush=True)
    cut = ends["length"] / max(1, ends["stop"] + ends["length"])
    print(
        f"ended: {dict(ends)}, {cut:.1%} by length; invalid: {dict(invalid)}; refused by: {dict(refused.most_common())}"
    )
    await engine.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("suite", type=Path)
    parser.add_argument("--limit", type=int, default=200, help="answers, refusals not counted")
    parser.add_argument("--clients", type=Path, default=CLIENTS, help="captured requests, one a file")
    parser.add_argument("--first", type=int, default=0, help="schemas that are passed over, for a run in parts")
    parser.add_argument("--last", type=int, help="the schema before which a part ends")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--max-tokens", type=int, default=512)
    asyncio.run(main(parser.parse_args()))
