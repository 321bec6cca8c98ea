"""How many JSON Schemas a model answers under, validly, and what is refused.

    python tests/bench/schemas.py MODEL.gguf SUITE_FOLDER [--limit 200] [--max-tokens 512]

SUITE_FOLDER holds files of the JSON Schema test suite (`tests/draft2020-12`); the parameters of the tools that captured
clients bring come on top. Where an answer ended by itself its document must be valid; a refusal must name its keyword.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import msgspec

from serve.engine.local import LocalEngine
from serve.events import Failed, Finished, FinishReason, Text
from serve.settings import EngineSettings
from serve.turns import AnswerFormat, GenerationRequest, Message, Mode, Role, Sampling

CLIENTS = Path(__file__).parents[1] / "fixtures" / "clients"


def schemas(suite: Path) -> Iterator[object]:
    """Yield the schemas of captured clients, then those of the suite, each once."""
    seen: set[str] = set()
    found: list[object] = []
    for path in sorted(CLIENTS.glob("*.json")):
        for tool in json.loads(path.read_text()).get("body", {}).get("tools") or ():
            found += [one.get("parameters") for one in (tool, *tool.get("tools", ())) if one.get("parameters")]
    for path in sorted(suite.glob("*.json")):
        found += [case["schema"] for case in json.loads(path.read_text())]
    for schema in found:
        key = json.dumps(schema, sort_keys=True)
        if key not in seen and "http" not in key.replace("https://json-schema.org/draft", ""):
            seen.add(key)
            yield schema


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
    invalid = 0
    for schema in schemas(given.suite):
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
        ends["stop" if last.reason is FinishReason.STOP else "length"] += 1
        if last.reason is FinishReason.STOP:
            said = "".join(event.text for event in events if isinstance(event, Text))
            try:
                jsonschema.Draft202012Validator(schema).validate(json.loads(said))
            except (ValueError, jsonschema.ValidationError) as error:
                invalid += 1
                print("INVALID", json.dumps(schema)[:200], said[:200], str(error)[:200], flush=True)
        if sum(ends.values()) % 25 == 0:
            print(dict(ends), flush=True)
    print(f"ended: {dict(ends)}; invalid: {invalid}; refused by: {dict(refused.most_common())}")
    await engine.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("suite", type=Path)
    parser.add_argument("--limit", type=int, default=200, help="answers, refusals not counted")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--max-tokens", type=int, default=512)
    asyncio.run(main(parser.parse_args()))
